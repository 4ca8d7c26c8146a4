{{- define "service.labels" -}}
app.kubernetes.io/name: {{ .Values.claim | quote }}
app.kubernetes.io/managed-by: demarc
demarc.dev/team: {{ .Values.team | quote }}
demarc.dev/claim: {{ .Values.claim | quote }}
{{- range $key, $value := .Values.labels }}
{{ $key }}: {{ $value | quote }}
{{- end }}
{{- end }}
