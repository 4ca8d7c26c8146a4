{{/* The user that the operator is to the API server. */}}
{{- define "demarc.operator" -}}
system:serviceaccount:{{ .Release.Namespace }}:demarc-operator
{{- end }}
{{- define "demarc.labels" -}}
app.kubernetes.io/name: demarc
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
