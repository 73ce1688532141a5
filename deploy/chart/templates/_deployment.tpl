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
