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

{{- define "ledgerhouse.workerSelector" -}}
app.kubernetes.io/name: ledgerhouse-worker
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "ledgerhouse.labels" -}}
app.kubernetes.io/part-of: ledgerhouse
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* User and group of a pod; with "group", of its volumes too. OpenShift assigns both, and refuses pods that name them. */}}
{{- define "ledgerhouse.user" -}}
{{- $root := index . 0 -}}
{{- $choice := $root.Values.operator.openshift -}}
{{- if not (or (eq $choice "yes") (and (eq $choice "detect") ($root.Capabilities.APIVersions.Has "security.openshift.io/v1"))) -}}
runAsUser: 65532
runAsGroup: 65532
{{- if eq (index . 1) "group" }}
fsGroup: 65532
{{- end }}
{{- end -}}
{{- end -}}
