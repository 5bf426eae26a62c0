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

{{- /* Where imports are staged, as YAML: the bucket for backups with credentials of their own. Empty: the service takes none. */}}
{{- define "ledgerhouse.imports" -}}
{{- $store := include "ledgerhouse.store" . | fromYaml -}}
{{- $secret := .Values.imports.credentialsSecret -}}
{{- if and $secret (not $store) }}
{{- fail "imports.credentialsSecret needs a bucket: set backups.store.url, or s3.enabled" }}
{{- end -}}
{{- if and $store (not $secret) (not .Values.backups.store.url) }}
{{- $secret = $store.credentialsSecret }}
{{- end -}}
{{- if $secret -}}
url: {{ $store.url | quote }}
endpoint: {{ $store.endpoint | quote }}
region: {{ $store.region | quote }}
credentialsSecret: {{ $secret | quote }}
{{- end -}}
{{- end }}

{{- /* The bucket for backups, as YAML: the one that the values name, or that of the chart's own S3 server. Empty: there is none. */}}
{{- define "ledgerhouse.store" -}}
{{- if .Values.backups.store.url -}}
{{- if not .Values.backups.credentialsSecret }}
{{- fail "backups.store.url needs backups.credentialsSecret: a Secret with the keys accessKeyId and secretAccessKey" }}
{{- end -}}
url: {{ .Values.backups.store.url | quote }}
endpoint: {{ .Values.backups.store.endpoint | quote }}
region: {{ .Values.backups.store.region | quote }}
credentialsSecret: {{ .Values.backups.credentialsSecret | quote }}
{{- else if .Values.s3.enabled -}}
url: s3://backups/ledgerhouse
endpoint: http://ledgerhouse-s3.{{ .Release.Namespace }}.svc:7070
region: us-east-1
credentialsSecret: {{ .Values.s3.credentialsSecret | default "ledgerhouse-s3" | quote }}
{{- end -}}
{{- end }}

{{- /* Name of the ConfigMap with object lock, by its content, so that pods are replaced with it. Empty: nothing is locked. */}}
{{- define "ledgerhouse.objectLock" -}}
{{- with .Values.backups.objectLock }}
{{- if .mode }}ledgerhouse-object-lock-{{ lower .mode }}-{{ int .days }}{{ end }}
{{- end }}
{{- end }}

{{- /* A volume with the store's credentials, the keys of archives if they are encrypted, and object lock if there is: (list SECRET MODE $). */}}
{{- define "ledgerhouse.storeVolume" -}}
projected:
  defaultMode: {{ index . 1 }}
  sources:
    - secret:
        name: {{ index . 0 }}
        items:
          - { key: accessKeyId, path: access-key-id }
          - { key: secretAccessKey, path: secret-access-key }
    {{- with (index . 2).Values.backups.encryption.keysSecret }}
    - secret:
        name: {{ . }}
        items:
          - { key: keys, path: encryption-keys }
    {{- end }}
    {{- with include "ledgerhouse.objectLock" (index . 2) }}
    - configMap:
        name: {{ . }}
        items:
          - { key: object-lock, path: object-lock }
    {{- end }}
{{- end }}
