{{/* What API and worker have in common: two processes of one image over one PostgreSQL. */}}

{{- define "ledgerhouse.processEnv" -}}
- name: LEDGERHOUSE_API_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
- name: LEDGERHOUSE_API_IDENTITY
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: LEDGERHOUSE_API_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.api.postgres.urlSecret | default .Values.api.postgres.passwordSecret | default "ledgerhouse-postgres" }}
      key: url
- { name: LEDGERHOUSE_API_DATABASE_CONNECTIONS, value: {{ .Values.api.postgres.connections | quote }} }
- { name: LEDGERHOUSE_API_HEALTH_LISTEN, value: '0.0.0.0:8081' }
- { name: LEDGERHOUSE_API_PUBLIC_URL, value: {{ .Values.api.publicUrl | quote }} }
- { name: LEDGERHOUSE_API_SIGNING_KEY_FILE, value: /secrets/own/signing-key }
{{- if .Values.api.otherSigningKeysSecret }}
- { name: LEDGERHOUSE_API_OTHER_SIGNING_KEYS_FOLDER, value: /secrets/other-signing-keys }
{{- end }}
{{- with .Values.api.databasesMax }}
- { name: LEDGERHOUSE_API_DATABASES_MAX, value: {{ int . | quote }} }
{{- end }}
{{- if include "ledgerhouse.store" . }}
- { name: LEDGERHOUSE_API_BACKUPS, value: 'on' }
{{- end }}
{{- with include "ledgerhouse.imports" . | fromYaml }}
- { name: LEDGERHOUSE_API_IMPORTS_STORE, value: {{ .url | quote }} }
{{- with .endpoint }}
- { name: LEDGERHOUSE_API_IMPORTS_ENDPOINT, value: {{ . | quote }} }
{{- end }}
- { name: LEDGERHOUSE_API_IMPORTS_REGION, value: {{ .region | quote }} }
- { name: LEDGERHOUSE_API_IMPORTS_CREDENTIALS_FOLDER, value: /secrets/imports }
{{- with $.Values.imports.gibibytesPerOrganization }}
- { name: LEDGERHOUSE_API_IMPORTS_GIBIBYTES_PER_ORGANIZATION, value: {{ int . | quote }} }
{{- end }}
{{- end }}
{{- if .Values.api.mail.smtpSecret }}
- name: LEDGERHOUSE_API_MAIL_FROM
  value: {{ required "api.mail.from is missing: whom mail comes from" .Values.api.mail.from | quote }}
{{- $_ := required "api.publicUrl is missing: mail leads people there" .Values.api.publicUrl }}
{{- end }}
{{- with .Values.api.webhooks.allowedRanges }}
- { name: LEDGERHOUSE_API_WEBHOOK_RANGES, value: {{ join "," . | quote }} }
{{- end }}
{{- with .Values.api.billing }}
{{- if eq .provider "stripe" }}
- { name: LEDGERHOUSE_API_BILLING, value: stripe }
- name: LEDGERHOUSE_API_BILLING_CURRENCY
  value: {{ required "api.billing.currency is missing: that of the catalog's prices, such as EUR" .currency | quote }}
- name: LEDGERHOUSE_API_BILLING_RETURN_URL
  value: {{ required "api.billing.returnUrl or api.publicUrl is missing: a checkout leads back there" (.returnUrl | default $.Values.api.publicUrl) | quote }}
- name: LEDGERHOUSE_API_STRIPE_PRICES
  value: {{ required "api.billing.stripe.prices is empty: IDs of the prices of both meters" (join "," .stripe.prices) | quote }}
- { name: LEDGERHOUSE_API_STRIPE_SECRET_KEY_FILE, value: /secrets/stripe/secret-key }
{{- end }}
{{- end }}
{{- end -}}

{{- define "ledgerhouse.processMounts" -}}
- { name: own, mountPath: /secrets/own, readOnly: true }
{{- if .Values.api.otherSigningKeysSecret }}
- { name: other-signing-keys, mountPath: /secrets/other-signing-keys, readOnly: true }
{{- end }}
{{- if eq .Values.api.billing.provider "stripe" }}
- { name: stripe, mountPath: /secrets/stripe, readOnly: true }
{{- end }}
{{- if include "ledgerhouse.imports" . }}
- { name: imports, mountPath: /secrets/imports, readOnly: true }
{{- end }}
{{- end -}}

{{- define "ledgerhouse.processVolumes" -}}
- { name: own, secret: { secretName: {{ .Values.api.signingKeySecret | default "ledgerhouse-api" }}, items: [{ key: signing-key, path: signing-key }] } }
{{- with .Values.api.otherSigningKeysSecret }}
- { name: other-signing-keys, secret: { secretName: {{ . }} } }
{{- end }}
{{- with include "ledgerhouse.imports" . | fromYaml }}
- name: imports
  secret:
    secretName: {{ .credentialsSecret }}
    items:
      - { key: accessKeyId, path: access-key-id }
      - { key: secretAccessKey, path: secret-access-key }
{{- end }}
{{- end -}}

{{- /* The keys of Stripe's Secret that one of them needs: a list of the chart's root and the keys' names. */}}
{{- define "ledgerhouse.stripeVolume" -}}
{{- $values := (index . 0).Values -}}
{{- if eq $values.api.billing.provider "stripe" }}
- name: stripe
  secret:
    secretName: {{ required "api.billing.stripe.secret is missing: a Secret with the keys secret-key and webhook-secret" $values.api.billing.stripe.secret }}
    items:
      {{- range rest . }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- end }}
{{- end -}}

{{- define "ledgerhouse.processProbes" -}}
# A busy node starts slowly; killing what starts makes it no quicker.
startupProbe:
  httpGet: { path: /livez, port: health }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /livez, port: health }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: health }
  periodSeconds: 2
  timeoutSeconds: 2
{{- end -}}
