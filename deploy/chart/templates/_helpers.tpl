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

{{- /* A pod. Arguments: root, component, image, command, resources, secrets, variables (name -> value), port, probes, restart. */}}
{{- define "greenlight.pod" -}}
{{- $values := .root.Values }}
{{- $job := eq .component "migrate" }}
metadata:
  labels: {{- include "greenlight.labels" . | nindent 4 }}
  {{- with $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if $job }}
  restartPolicy: Never
  serviceAccountName: default # before the chart's own is there
  {{- else }}
  serviceAccountName: {{ include "greenlight.serviceAccount" .root }}
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "greenlight.selector" . | nindent 10 }}
  {{- end }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with $values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with $values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "greenlight.image" . }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      command: {{ .command | toJson }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env: {{- include "greenlight.variables" .root | nindent 8 }}
        {{- if $job }}
        - name: DATABASE_OWNER_URL
          valueFrom: { secretKeyRef: { name: {{ $values.database.existingSecret }}, key: {{ $values.database.ownerKey }} } }
        {{- end }}
        {{- range $name, $value := .variables }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- range .secrets }}
        - name: {{ . }}
          valueFrom: { secretKeyRef: { name: {{ $values.secrets.existingSecret }}, key: {{ . }}, optional: {{ ne . "GREENLIGHT_SIGNING_KEY" }} } }
        {{- end }}
      {{- with $values.blobs.existingSecret }}
      {{- if not $job }}
      envFrom:
        - secretRef: { name: {{ . }} }
      {{- end }}
      {{- end }}
      {{- with .ports }}
      ports: {{- toYaml . | nindent 8 }}
      {{- end }}
      resources: {{- toYaml .resources | nindent 8 }}
      {{- with .probes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- if and (not $values.blobs.url) (not $job) }}
        - { name: blobs, mountPath: /app/blobs }
        {{- end }}
        {{- if and $values.temporal.tls.enabled $values.temporal.tls.existingSecret }}
        - { name: temporal-tls, mountPath: /etc/greenlight/temporal, readOnly: true }
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 2Gi }
    {{- if and (not $values.blobs.url) (not $job) }}
    - name: blobs
      persistentVolumeClaim: { claimName: {{ $values.blobs.claim.existingClaim | default (printf "%s-blobs" (include "greenlight.name" .root)) }} }
    {{- end }}
    {{- if and $values.temporal.tls.enabled $values.temporal.tls.existingSecret }}
    - name: temporal-tls
      secret: { secretName: {{ $values.temporal.tls.existingSecret }}, defaultMode: 0440 }
    {{- end }}
{{- end }}

{{- /* A Deployment and its disruption budget. Arguments: those of a pod, replicas; `autoscaling` leaves the number to KEDA. */}}
{{- define "greenlight.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "greenlight.name" .root }}-{{ .component }}
  labels: {{- include "greenlight.labels" . | nindent 4 }}
spec:
  {{- if not .autoscaling }}
  replicas: {{ .replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels: {{- include "greenlight.selector" . | nindent 6 }}
  template: {{- include "greenlight.pod" . | nindent 4 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "greenlight.name" .root }}-{{ .component }}
  labels: {{- include "greenlight.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "greenlight.selector" . | nindent 6 }}
{{- end }}
