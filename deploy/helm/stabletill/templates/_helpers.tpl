{{- define "stabletill.labels" -}}
app.kubernetes.io/name: stabletill
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "stabletill.select" -}}
app.kubernetes.io/name: stabletill
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "stabletill.image" -}}
{{ .Values.image.repository }}{{ if hasPrefix "@" .Values.image.tag }}{{ .Values.image.tag }}{{ else }}:{{ .Values.image.tag }}{{ end }}
{{- end }}

{{- define "stabletill.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "stabletill.container" -}}
image: {{ include "stabletill.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "stabletill.environment" -}}
- { name: SECRETS_DIR, value: /run/secrets/stabletill }
- { name: PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
- { name: TRUSTED_PROXIES, value: {{ .Values.trustedProxies | quote }} }
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "stabletill.database" -}}
postgresql://{{ .role }}@{{ .root.Values.database.host }}:{{ .root.Values.database.port }}/{{ .root.Values.database.name }}
{{- end }}
