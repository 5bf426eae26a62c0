{{/* A reference of an image: by digest, else by tag, else by this chart's version. */}}
{{- define "ledgerhouse.image" -}}
{{- $image := index . 0 -}}{{- $chart := index . 1 -}}
{{- if $image.digest -}}{{ $image.repository }}@{{ $image.digest }}
{{- else -}}{{ $image.repository }}:{{ $image.tag | default $chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "ledgerhouse.operatorSelector" -}}
app.kubernetes.io/name: ledgerhouse-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "ledgerhouse.apiSelector" -}}
app.kubernetes.io/name: ledgerhouse-api
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "ledgerhouse.labels" -}}
app.kubernetes.io/part-of: ledgerhouse
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}
