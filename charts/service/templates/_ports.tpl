{{- /* The ports, port alone among them: a list of name, port, protocol and servicePort. */ -}}
{{- define "service.ports" -}}
{{- if .Values.port -}}
{{- toJson (list (dict "name" "http" "port" .Values.port "servicePort" 80)) -}}
{{- else -}}
{{- toJson (default list .Values.ports) -}}
{{- end -}}
{{- end }}

{{- /* The name of the first port that takes connections. */ -}}
{{- define "service.firstPort" -}}
{{- $first := "" -}}
{{- range fromJsonArray (include "service.ports" .) -}}
{{- if and (not $first) (eq (default "TCP" .protocol) "TCP") -}}
{{- $first = .name -}}
{{- end -}}
{{- end -}}
{{- $first -}}
{{- end }}

{{- /* The number of the port of a name: a list of the root and the name. */ -}}
{{- define "service.portNumber" -}}
{{- $name := index . 1 -}}
{{- range fromJsonArray (include "service.ports" (index . 0)) -}}
{{- if eq .name $name -}}{{ .port }}{{- end -}}
{{- end -}}
{{- end }}

{{- /* The port on which others reach the port of a name: a list of the root and the name. */ -}}
{{- define "service.servicePort" -}}
{{- $name := index . 1 -}}
{{- range fromJsonArray (include "service.ports" (index . 0)) -}}
{{- if eq .name $name -}}{{ default .port .servicePort }}{{- end -}}
{{- end -}}
{{- end }}

{{- /* Whether a port is one that only root may take where the kernel says nothing else. */ -}}
{{- define "service.lowPort" -}}
{{- range fromJsonArray (include "service.ports" .) -}}
{{- if lt (int .port) 1024 -}}low{{- end -}}
{{- end -}}
{{- end }}
