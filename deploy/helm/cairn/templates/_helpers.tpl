{{- define "cairn.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "cairn.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "cairn.image" -}}
{{- $repository := required "image.repository is empty: set it to the repository of the image" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The settings file. The image sets dataDir and http.host. */}}
{{- define "cairn.settings" -}}
{{- $settings := deepCopy .Values.settings -}}
{{- if and .Values.ingress.enabled (not (dig "admin" "hosts" "" $settings)) -}}
{{- $hosts := list -}}
{{- range .Values.ingress.hosts }}{{ if not (hasPrefix "*" .) }}{{ $hosts = append $hosts . }}{{ end }}{{ end -}}
{{- if $hosts -}}
{{- $settings = mergeOverwrite $settings (dict "admin" (dict "hosts" (join "," $hosts))) -}}
{{- end -}}
{{- end -}}
{{- if and (dig "database" "url" "" $settings) (not (dig "objects" "cacheBytes" "" $settings)) -}}
{{- /* A quarter of the default persistence.size: the emptyDir contains chain data too. */ -}}
{{- $settings = mergeOverwrite $settings (dict "objects" (dict "cacheBytes" 5368709120)) -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* Longer than http.drainMs, twice with workers. */}}
{{- define "cairn.graceSeconds" -}}
{{- /* Workers stop before the keeper, each with up to 10 s beyond its drain. */ -}}
{{- add 40 (div (mul 2 (int (dig "http" "drainMs" 3000 .Values.settings))) 1000) -}}
{{- end -}}

{{/* With settings.database.url, pods share their state, so any number may run. */}}
{{- define "cairn.isShared" -}}
{{- if dig "database" "url" "" .Values.settings -}}
{{- $_ := required "settings.database.url needs identitySecret: set it to a Secret with identity.pem" .Values.identitySecret -}}
{{- if and (gt (int .Values.replicas) 1) (dig "node" "only" false .Values.settings) -}}
{{- fail "replicas above 1 contradicts settings.node.only: set settings.shared.url, so that pods share rates" -}}
{{- end -}}
true
{{- else -}}
{{- if gt (int .Values.replicas) 1 -}}
{{- fail "replicas above 1 needs settings.database.url: one process locks the data folder" -}}
{{- end -}}
false
{{- end -}}
{{- end -}}

{{/* Of the StatefulSet and of the Deployment. */}}
{{- define "cairn.pod" -}}
metadata:
  labels:
    {{- include "cairn.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # A running Cairn applies most changed settings itself; others need a restart.
    checksum/settings: {{ include "cairn.settings" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "cairn.name" . }}
  automountServiceAccountToken: false
  # The variables of a Service named cairn would be taken for settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "cairn.graceSeconds" . }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: cairn
      image: {{ include "cairn.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      env:
        - name: CAIRN_CONFIG
          value: /etc/cairn/cairn.yaml
        {{- if .Values.identitySecret }}
        # All pods of one database have this key pair.
        - name: CAIRN_SECRETS_FILE
          value: /identity/identity.pem
        {{- end }}
        {{- range $name, $secret := .Values.secretEnv }}
        - name: {{ $name }}
          valueFrom:
            secretKeyRef:
              name: {{ $secret.name }}
              key: {{ $secret.key }}
        {{- end }}
      ports:
        - name: http
          containerPort: 8545
          protocol: TCP
      startupProbe:
        httpGet:
          path: /livez
          port: http
        periodSeconds: 2
        # A start may migrate the database, or import blocks: up to 15 minutes.
        failureThreshold: 450
      livenessProbe:
        httpGet:
          path: /livez
          port: http
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet:
          path: /readyz
          port: http
        periodSeconds: 5
        timeoutSeconds: 5
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/cairn
        - name: settings
          mountPath: /etc/cairn
          readOnly: true
        - name: tmp
          mountPath: /tmp
        {{- if .Values.identitySecret }}
        - name: identity
          mountPath: /identity
          readOnly: true
        {{- end }}
  volumes:
    - name: settings
      configMap:
        name: {{ include "cairn.name" . }}
    - name: tmp
      emptyDir: {}
    {{- with .Values.identitySecret }}
    - name: identity
      secret:
        secretName: {{ . }}
    {{- end }}
    {{- if eq (include "cairn.isShared" .) "true" }}
    # Chain data and copies of objects: a new pod fetches them again.
    - name: data
      emptyDir:
        sizeLimit: {{ .Values.persistence.size }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
