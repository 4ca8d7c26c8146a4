{{- /* The key under which a file lies in the ConfigMap: a list of its index and the file. */ -}}
{{- define "service.fileKey" -}}
{{ index . 0 }}.{{ base (index . 1).path }}
{{- end }}

{{- define "service.mounts" -}}
{{- range $i, $file := .Values.files }}
- name: files
  mountPath: {{ $file.path | quote }}
  subPath: {{ include "service.fileKey" (list $i $file) | quote }}
  readOnly: true
{{- end }}
{{- range .Values.secrets }}
{{- if .path }}
- name: secret-{{ .name }}
  mountPath: {{ .path | quote }}
  readOnly: true
{{- end }}
{{- end }}
{{- range .Values.volumes }}
- name: {{ .name }}
  mountPath: {{ .path | quote }}
{{- end }}
{{- end }}

{{- define "service.volumes" -}}
{{- if .Values.files }}
- name: files
  configMap:
    name: {{ .Values.claim }}-files
{{- end }}
{{- range .Values.secrets }}
{{- if .path }}
- name: secret-{{ .name }}
  secret:
    secretName: {{ .name }}
{{- end }}
{{- end }}
{{- end }}

{{- /* A changed file is a changed pod: what is mounted by subPath is not renewed in one
that runs. */ -}}
{{- define "service.podAnnotations" -}}
{{- range $key, $value := .Values.annotations }}
{{ $key }}: {{ $value | quote }}
{{- end }}
{{- with .Values.files }}
checksum/files: {{ toJson . | sha256sum | trunc 16 | quote }}
{{- end }}
{{- end }}

{{- define "service.spread" -}}
{{- $spread := .Values.spread }}
{{- if and (not $spread) (eq .Values.podSecurity "restricted") (or (gt (int .Values.replicas) 1) .Values.autoscaling) }}
{{- $spread = dict "over" (list "node" "zone") }}
{{- end }}
{{- with $spread }}
{{- range .over }}
- topologyKey: {{ get (dict "node" "kubernetes.io/hostname" "zone" "topology.kubernetes.io/zone") . }}
  maxSkew: 1
  whenUnsatisfiable: {{ if $spread.required }}DoNotSchedule{{ else }}ScheduleAnyway{{ end }}
  labelSelector:
    matchLabels:
      demarc.dev/claim: {{ $.Values.claim | quote }}
  {{- if ne (default "service" $.Values.kind) "stateful" }}
  # Each rollout for itself: the pods that go do not count.
  matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The pod, as every kind of workload has it. */ -}}
{{- define "service.pod" -}}
metadata:
  labels:
    {{- include "service.labels" . | nindent 4 }}
  {{- with include "service.podAnnotations" . | trim }}
  annotations:
    {{- . | nindent 4 }}
  {{- end }}
spec:
  {{- with .Values.serviceAccount }}
  serviceAccountName: {{ $.Values.claim | quote }}
  automountServiceAccountToken: {{ .token }}
  {{- else }}
  automountServiceAccountToken: false
  {{- end }}
  {{- if has (default "service" .Values.kind) (list "job" "cronjob") }}
  # A try that failed stays, so that its log can be read.
  restartPolicy: Never
  {{- end }}
  securityContext:
    {{- if eq .Values.podSecurity "restricted" }}
    runAsNonRoot: true
    {{- if .Values.volumes }}
    # What is no root may write to its volumes.
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    {{- end }}
    {{- if include "service.lowPort" . }}
    # What is no root may listen on a low port; no capability would let it.
    sysctls:
      - name: net.ipv4.ip_unprivileged_port_start
        value: "0"
    {{- end }}
    {{- end }}
    seccompProfile:
      type: RuntimeDefault
  {{- with include "service.spread" . | trim }}
  topologySpreadConstraints:
    {{- . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .Values.claim | quote }}
      image: {{ .Values.image | quote }}
      {{- with .Values.command }}
      command:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.args }}
      args:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.env }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with fromJsonArray (include "service.ports" .) }}
      ports:
        {{- range . }}
        - name: {{ .name }}
          containerPort: {{ .port }}
          {{- with .protocol }}
          protocol: {{ . }}
          {{- end }}
        {{- end }}
      {{- end }}
      {{- with include "service.probes" . | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        capabilities:
          drop: [ALL]
          {{- if ne .Values.podSecurity "restricted" }}
          # What an image needs that starts as root, binds a low port and
          # then changes to a user of its own, as nginx does.
          add: [CHOWN, DAC_OVERRIDE, NET_BIND_SERVICE, SETGID, SETUID]
          {{- end }}
      {{- with include "service.mounts" . | trim }}
      volumeMounts:
        {{- . | nindent 8 }}
      {{- end }}
  {{- with include "service.volumes" . | trim }}
  volumes:
    {{- . | nindent 4 }}
  {{- end }}
{{- end }}
