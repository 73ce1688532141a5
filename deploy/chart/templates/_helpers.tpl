{{- define "greenlight.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* Arguments: root, component. */}}
{{- define "greenlight.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "greenlight.labels" -}}
{{ include "greenlight.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | quote }}
{{- end }}

{{- define "greenlight.serviceAccount" -}}
{{- $own := ternary (include "greenlight.name" .) "default" .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default $own }}
{{- end }}

{{- /* Arguments: root, image (gateway, worker, crew-worker). */}}
{{- define "greenlight.image" -}}
{{- $values := .root.Values.image }}
{{- $digest := index $values.digests (camelcase .image | untitle) }}
{{- $values.registry }}/greenlight-{{ .image }}:{{ $values.tag | default .root.Chart.AppVersion }}{{ with $digest }}@{{ . }}{{ end }}
{{- end }}

{{- /* Variables of every container. `extraEnv` and `config` come first: of two with one name Kubernetes uses the last. */}}
{{- define "greenlight.variables" -}}
{{- $hosts := .Values.gateway.hosts }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- range $name, $value := .Values.config }}
- name: {{ $name }}
  value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
{{- end }}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.existingSecret }}, key: {{ .Values.database.key }} } }
- name: BLOB_URL
  value: {{ .Values.blobs.url | default "file:///app/blobs" | quote }}
- name: GREENLIGHT_PUBLIC_URL
  value: {{ $hosts | empty | ternary "http://127.0.0.1:8460" (printf "https://%s" (first (append $hosts ""))) | quote }}
- name: GREENLIGHT_SEARCH_ATTRIBUTES
  value: {{ .Values.temporal.searchAttributes | quote }}
- name: TEMPORAL_ADDRESS
  value: {{ .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- with .Values.temporal.apiKey }}
{{- if .existingSecret }}
- name: TEMPORAL_API_KEY
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .key }} } }
{{- end }}
{{- end }}
{{- with .Values.temporal.tls }}
{{- if .enabled }}
- name: TEMPORAL_TLS
  value: "true"
{{- with .serverName }}
- name: TEMPORAL_TLS_SERVER_NAME
  value: {{ . | quote }}
{{- end }}
{{- if and .existingSecret .clientCertificate }}
- name: TEMPORAL_TLS_CLIENT_CERT_PATH
  value: /etc/greenlight/temporal/tls.crt
- name: TEMPORAL_TLS_CLIENT_KEY_PATH
  value: /etc/greenlight/temporal/tls.key
{{- end }}
{{- if and .existingSecret .ca }}
- name: TEMPORAL_TLS_SERVER_CA_CERT_PATH
  value: /etc/greenlight/temporal/ca.crt
{{- end }}
{{- end }}
{{- end }}
{{- end }}
