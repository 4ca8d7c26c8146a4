{{- /* One probe: a dict of root, probe, period and failures. */ -}}
{{- define "service.probe" -}}
{{- $p := .probe -}}
{{- $first := include "service.firstPort" .root -}}
{{- if hasKey $p "http" }}
httpGet:
  path: {{ default "/" (dig "http" "path" "" $p) | quote }}
  port: {{ default $first (dig "http" "port" "" $p) }}
{{- else if hasKey $p "grpc" }}
grpc:
  port: {{ include "service.portNumber" (list .root (default $first (dig "grpc" "port" "" $p))) }}
  service: {{ dig "grpc" "service" "" $p | quote }}
{{- else if hasKey $p "exec" }}
exec:
  command:
    {{- toYaml $p.exec.command | nindent 4 }}
{{- else }}
tcpSocket:
  port: {{ default $first (dig "tcp" "port" "" $p) }}
{{- end }}
{{- with $p.initialDelaySeconds }}
initialDelaySeconds: {{ . }}
{{- end }}
periodSeconds: {{ default .period $p.periodSeconds }}
timeoutSeconds: {{ default 3 $p.timeoutSeconds }}
failureThreshold: {{ default .failures $p.failureThreshold }}
{{- end }}

{{- /* All three. What is alive is asked more patiently than what is ready, and what
starts slowly is not taken for dead. */ -}}
{{- define "service.probes" -}}
{{- $probes := default dict .Values.probes -}}
{{- if $probes.readiness }}
readinessProbe:
  {{- include "service.probe" (dict "root" . "probe" $probes.readiness "period" 10 "failures" 3) | trim | nindent 2 }}
{{- else if and (include "service.firstPort" .) (has (default "service" .Values.kind) (list "service" "stateful")) }}
readinessProbe:
  tcpSocket:
    port: {{ include "service.firstPort" . }}
{{- end }}
{{- with $probes.liveness }}
livenessProbe:
  {{- include "service.probe" (dict "root" $ "probe" . "period" 10 "failures" 6) | trim | nindent 2 }}
{{- end }}
{{- with default (omit (default dict $probes.liveness) "initialDelaySeconds" "periodSeconds" "failureThreshold") $probes.startup }}
startupProbe:
  {{- include "service.probe" (dict "root" $ "probe" . "period" 5 "failures" 60) | trim | nindent 2 }}
{{- end }}
{{- end }}
