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
