{{- define "reloader.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "reloader.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "reloader.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "reloader.namespace" -}}
{{- default .Release.Namespace .Values.namespace -}}
{{- end -}}

{{- define "reloader.serviceAccountName" -}}
{{- with .Values.reloader.serviceAccount -}}
{{- if and (not .create) (not .name) -}}
{{- fail "reloader.serviceAccount.name: name the account to use where reloader.serviceAccount.create is false" -}}
{{- end -}}
{{- default (include "reloader.fullname" $) .name -}}
{{- end -}}
{{- end -}}

{{- /* They never change: the selector of a Deployment is immutable. */ -}}
{{- define "reloader.selectorLabels" -}}
app: {{ include "reloader.fullname" . | quote }}
release: {{ .Release.Name | quote }}
{{- with .Values.reloader.matchLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* The reloader command finds the operator by app.kubernetes.io/part-of, whatever nameOverride says. */ -}}
{{- define "reloader.labels" -}}
{{ include "reloader.selectorLabels" . }}
chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
heritage: {{ .Release.Service | quote }}
app.kubernetes.io/name: {{ include "reloader.name" . | quote }}
app.kubernetes.io/part-of: reloader
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- end -}}

{{- /* Values of a release of Stakater's chart name its image, which knows neither our flags nor our probes. */ -}}
{{- define "reloader.image" -}}
{{- $image := .Values.image -}}
{{- $repository := $image.repository -}}
{{- $value := "image.repository" -}}
{{- with .Values.global.imageRegistry -}}
{{- $repository = printf "%s/%s" (trimSuffix "/" .) $image.name -}}
{{- $value = "image.name" -}}
{{- end -}}
{{- $ours := (.Files.Get "files/defaults.yaml" | fromYaml).image -}}
{{- $hint := printf "add --set image.name=%s,image.repository=%s,image.tag=,image.digest= to --reuse-values, or use --reset-then-reuse-values instead of it" $ours.name $ours.repository -}}
{{- if regexMatch "(^|/)stakater/reloader$" $repository -}}
{{- fail (printf "%s: %s is the image of Stakater Reloader, which this chart cannot run: %s" $value $repository $hint) -}}
{{- end -}}
{{- if and (regexMatch "^v[0-9]" (toString $image.tag)) (hasSuffix $ours.name $repository) -}}
{{- fail (printf "image.tag: %s has no tag %s, which looks like one of Stakater Reloader: %s" $repository $image.tag $hint) -}}
{{- end -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .Chart.AppVersion (toString $image.tag)) -}}
{{- end -}}
{{- end -}}

{{- /* "true" or nothing. */ -}}
{{- define "reloader.highAvailability" -}}
{{- if or .Values.reloader.enableHA (gt (int .Values.reloader.deployment.replicas) 1) -}}true{{- end -}}
{{- end -}}

{{- define "reloader.runs" -}}
{{- if has .controller .root.Values.reloader.controllers -}}true{{- end -}}
{{- end -}}

{{- /* Comma-separated; empty for all. */ -}}
{{- define "reloader.watchedNamespaces" -}}
{{- $given := .Values.reloader.namespaces -}}
{{- $names := list -}}
{{- if kindIs "string" $given -}}
{{- range splitList "," $given }}{{ with trim . }}{{ $names = append $names . }}{{ end }}{{ end -}}
{{- else -}}
{{- $names = $given -}}
{{- end -}}
{{- if and $names .Values.reloader.watchGlobally -}}
{{- fail "reloader.namespaces: set reloader.watchGlobally to false, or leave the list empty" -}}
{{- end -}}
{{- if not .Values.reloader.watchGlobally -}}
{{- default (list (include "reloader.namespace" .)) $names | uniq | join "," -}}
{{- end -}}
{{- end -}}

{{- /* Secret with env.secret and the address of alerts. */ -}}
{{- define "reloader.secretData" -}}
{{- $data := dict -}}
{{- range $name, $value := .Values.reloader.deployment.env.secret -}}
{{- $_ := set $data $name (include "reloader.text" $value) -}}
{{- end -}}
{{- with .Values.reloader.alerts -}}
{{- if and .enabled .webhookUrl (not .webhookUrlSecret) -}}
{{- $_ := set $data "ALERT_WEBHOOK_URL" .webhookUrl -}}
{{- end -}}
{{- end -}}
{{- toYaml $data -}}
{{- end -}}

{{- define "reloader.admissionName" -}}
{{- printf "%s-admission" (include "reloader.fullname" . | trunc 53) -}}
{{- end -}}
