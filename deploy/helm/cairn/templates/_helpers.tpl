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
{{- toYaml $settings -}}
{{- end -}}

{{/* Longer than http.drainMs. */}}
{{- define "cairn.graceSeconds" -}}
{{- add 27 (div (int (dig "http" "drainMs" 3000 .Values.settings)) 1000) -}}
{{- end -}}
