{{- define "service.labels" -}}
app.kubernetes.io/name: {{ .Values.claim }}
app.kubernetes.io/managed-by: demarc
demarc.dev/team: {{ .Values.team | quote }}
demarc.dev/claim: {{ .Values.claim }}
{{- end }}
