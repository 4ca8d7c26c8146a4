{{- /* What a run is, in a Job and in a CronJob. */ -}}
{{- define "service.run" -}}
{{- $job := default dict .Values.job -}}
backoffLimit: {{ if hasKey $job "retries" }}{{ $job.retries }}{{ else }}3{{ end }}
{{- with $job.timeoutSeconds }}
activeDeadlineSeconds: {{ . }}
{{- end }}
template:
  {{- include "service.pod" . | nindent 2 }}
{{- end }}
