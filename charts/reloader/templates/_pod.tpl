{{- /* All flags, one per item: what is not said here has the program's default. */ -}}
{{- define "reloader.args" -}}
{{- $r := .Values.reloader -}}
{{- if and $r.ignoreSecrets $r.ignoreConfigMaps -}}
{{- fail "reloader.ignoreSecrets, reloader.ignoreConfigMaps: nothing would be left to watch, set one of the two" -}}
{{- end -}}
{{- $args := list (printf "--controllers=%s" (join "," $r.controllers)) (printf "--log-level=%s" $r.logLevel) -}}
{{- if $r.logFormat }}{{ $args = append $args (printf "--log-format=%s" $r.logFormat) }}{{ end -}}
{{- if $r.autoReloadAll }}{{ $args = append $args "--auto-reload-all=true" }}{{ end -}}
{{- if $r.isArgoRollouts }}{{ $args = append $args "--is-Argo-Rollouts=true" }}{{ end -}}
{{- if $r.enableCSIIntegration }}{{ $args = append $args "--enable-csi-integration=true" }}{{ end -}}
{{- if $r.reloadOnCreate }}{{ $args = append $args "--reload-on-create=true" }}{{ end -}}
{{- if $r.reloadOnDelete }}{{ $args = append $args "--reload-on-delete=true" }}{{ end -}}
{{- if $r.syncAfterRestart }}{{ $args = append $args "--sync-after-restart=true" }}{{ end -}}
{{- if ne $r.reloadStrategy "default" }}{{ $args = append $args (printf "--reload-strategy=%s" $r.reloadStrategy) }}{{ end -}}
{{- if $r.ignoreSecrets }}{{ $args = append $args "--resources-to-ignore=secrets" }}{{ end -}}
{{- if $r.ignoreConfigMaps }}{{ $args = append $args "--resources-to-ignore=configmaps" }}{{ end -}}
{{- if $r.ignoreJobs }}{{ $args = append $args "--ignored-workload-types=jobs" }}{{ end -}}
{{- if $r.ignoreCronJobs }}{{ $args = append $args "--ignored-workload-types=cronjobs" }}{{ end -}}
{{- with include "reloader.watchedNamespaces" . }}{{ $args = append $args (printf "--namespaces=%s" .) }}{{ end -}}
{{- if $r.watchGlobally -}}
{{- with $r.ignoreNamespaces }}{{ $args = append $args (printf "--namespaces-to-ignore=%s" .) }}{{ end -}}
{{- with $r.namespaceSelector }}{{ $args = append $args (printf "--namespace-selector=%s" (include "reloader.csv" .)) }}{{ end -}}
{{- else if or $r.ignoreNamespaces $r.namespaceSelector -}}
{{- fail "reloader.ignoreNamespaces, reloader.namespaceSelector: they choose among all namespaces, so they need reloader.watchGlobally" -}}
{{- end -}}
{{- with $r.resourceLabelSelector }}{{ $args = append $args (printf "--resource-label-selector=%s" (include "reloader.csv" .)) }}{{ end -}}
{{- with $r.webhookUrl }}{{ $args = append $args (printf "--webhook-url=%s" .) }}{{ end -}}
{{- if include "reloader.highAvailability" . }}{{ $args = append $args "--enable-ha=true" }}{{ end -}}
{{- if $r.enablePProf }}{{ $args = concat $args (list "--enable-pprof=true" (printf "--pprof-addr=%s" $r.pprofAddr)) }}{{ end -}}
{{- if ne $r.mode "reload" }}{{ $args = append $args (printf "--mode=%s" $r.mode) }}{{ end -}}
{{- if ne $r.settle "1s" }}{{ $args = append $args (printf "--settle=%s" $r.settle) }}{{ end -}}
{{- if ne $r.settleMax "10s" }}{{ $args = append $args (printf "--settle-max=%s" $r.settleMax) }}{{ end -}}
{{- if ne $r.batchWindow "0s" }}{{ $args = append $args (printf "--batch-window=%s" $r.batchWindow) }}{{ end -}}
{{- if ne $r.reloadRate "60/60" }}{{ $args = append $args (printf "--reload-rate=%s" $r.reloadRate) }}{{ end -}}
{{- if $r.maxUnfinishedRollouts }}{{ $args = append $args (printf "--max-unfinished-rollouts=%d" (int $r.maxUnfinishedRollouts)) }}{{ end -}}
{{- if ne (int $r.warnFanOut) 100 }}{{ $args = append $args (printf "--warn-fan-out=%d" (int $r.warnFanOut)) }}{{ end -}}
{{- if ne $r.rolloutDeadline "15m" }}{{ $args = append $args (printf "--rollout-deadline=%s" $r.rolloutDeadline) }}{{ end -}}
{{- if $r.verify }}{{ $args = append $args "--verify=true" }}{{ end -}}
{{- if $r.restoreConfigMaps }}{{ $args = append $args "--restore-config-maps=true" }}{{ end -}}
{{- if $r.keyLevel }}{{ $args = append $args "--key-level=true" }}{{ end -}}
{{- if ne $r.rolloutStrategy "rollout" }}{{ $args = append $args (printf "--rollout-strategy=%s" $r.rolloutStrategy) }}{{ end -}}
{{- if ne $r.cronJobStrategy "next-run" }}{{ $args = append $args (printf "--cronjob-strategy=%s" $r.cronJobStrategy) }}{{ end -}}
{{- if ne $r.finishedJobs "run" }}{{ $args = append $args (printf "--finished-jobs=%s" $r.finishedJobs) }}{{ end -}}
{{- if $r.allowCrossNamespace }}{{ $args = append $args "--allow-cross-namespace=true" }}{{ end -}}
{{- if $r.namespaceDefaults }}{{ $args = append $args "--namespace-defaults=true" }}{{ end -}}
{{- if ne $r.recreate "reload" }}{{ $args = append $args (printf "--recreate=%s" $r.recreate) }}{{ end -}}
{{- if ne $r.takeover "adopt" }}{{ $args = append $args (printf "--takeover=%s" $r.takeover) }}{{ end -}}
{{- if ne $r.digest "keyed" }}{{ $args = append $args (printf "--digest=%s" $r.digest) }}{{ end -}}
{{- if $r.writeSourceHash }}{{ $args = append $args "--write-source-hash=true" }}{{ end -}}
{{- if $r.reloadOnGenerated }}{{ $args = append $args "--reload-on-generated=true" }}{{ end -}}
{{- $flags := dict
  "configmap" "configmap-annotation"
  "secret" "secret-annotation"
  "auto" "auto-annotation"
  "configmap_auto" "configmap-auto-annotation"
  "secret_auto" "secret-auto-annotation"
  "search" "auto-search-annotation"
  "match" "search-match-annotation"
  "ignore" "ignore-annotation"
  "pausePeriod" "pause-deployment-annotation"
  "pauseTime" "pause-deployment-time-annotation" -}}
{{- range $key, $value := $r.custom_annotations }}{{ if $value }}{{ $args = append $args (printf "--%s=%s" (get $flags $key) $value) }}{{ end }}{{ end -}}
{{- with $r.alerts -}}
{{- if .enabled -}}
{{- $args = concat $args (list "--alert-on-reload=true" (printf "--alert-sink=%s" .sink)) -}}
{{- with .events }}{{ $args = append $args (printf "--alert-events=%s" (join "," .)) }}{{ end -}}
{{- with .template }}{{ $args = append $args (printf "--alert-template=%s" .) }}{{ end -}}
{{- if ne .teamsFormat "auto" }}{{ $args = append $args (printf "--alert-teams-format=%s" .teamsFormat) }}{{ end -}}
{{- end -}}
{{- with .additionalInfo }}{{ $args = append $args (printf "--alert-additional-info=%s" .) }}{{ end -}}
{{- if ne .groupWindow "2s" }}{{ $args = append $args (printf "--alert-group-window=%s" .groupWindow) }}{{ end -}}
{{- if .allowInternal }}{{ $args = append $args "--alert-allow-internal=true" }}{{ end -}}
{{- with .allowedHosts }}{{ $args = append $args (printf "--alert-allowed-hosts=%s" (join "," .)) }}{{ end -}}
{{- end -}}
{{- with $r.auditLog }}{{ $args = append $args (printf "--audit-log=%s" .) }}{{ end -}}
{{- if $r.admission.enabled }}{{ $args = concat $args (list "--enable-admission=true" (printf "--admission-name=%s" (include "reloader.admissionName" .))) }}{{ end -}}
{{- with $r.api -}}
{{- if .enabled }}{{ $args = append $args (printf "--api-bind-address=:%d" (int .port)) }}{{ end -}}
{{- with .allowedHosts }}{{ $args = append $args (printf "--api-allowed-hosts=%s" (join "," .)) }}{{ end -}}
{{- end -}}
{{- with $r.ui -}}
{{- if .enabled }}{{ $args = append $args (printf "--ui-bind-address=:%d" (int .port)) }}{{ end -}}
{{- end -}}
{{- with $r.secureMetrics -}}
{{- if .enabled -}}
{{- $args = append $args (printf "--metrics-bind-address=:%d" (int .port)) -}}
{{- if .certificateSecret }}{{ $args = append $args "--metrics-cert-path=/etc/reloader/metrics-certificate" }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toYaml (concat $args $r.extraArgs) -}}
{{- end -}}

{{- /* A selector in one item of a list: its commas are protected by quotes. */ -}}
{{- define "reloader.csv" -}}
{{- if or (contains "," .) (contains "\"" .) -}}"{{ . | replace "\"" "\"\"" }}"{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{- /* Each name once, the last of several: server-side apply refuses a list with a name twice, and the kubelet takes the last. */ -}}
{{- define "reloader.env" -}}
{{- $entries := include "reloader.envEntries" . | fromYamlArray -}}
{{- $last := dict -}}
{{- range $index, $entry := $entries }}{{ $_ := set $last $entry.name $index }}{{ end -}}
{{- $kept := list -}}
{{- range $index, $entry := $entries -}}
{{- if eq (get $last $entry.name) $index }}{{ $kept = append $kept $entry }}{{ end -}}
{{- end -}}
{{- toYaml $kept -}}
{{- end -}}

{{- define "reloader.envEntries" -}}
{{- $r := .Values.reloader -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: RELOADER_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: RELOADER_DEPLOYMENT_NAME
  value: {{ include "reloader.fullname" . | quote }}
{{- if ne .Values.kubernetes.host "https://kubernetes.default" }}
{{- $address := (urlParse .Values.kubernetes.host).host }}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $address) }}
- name: KUBERNETES_SERVICE_HOST
  value: {{ regexReplaceAll ":[0-9]+$" $address "" | trimPrefix "[" | trimSuffix "]" | quote }}
- name: KUBERNETES_SERVICE_PORT
  value: {{ default "443" $port | quote }}
{{- end }}
{{- if $r.enableMetricsByNamespace }}
- name: METRICS_COUNT_BY_NAMESPACE
  value: enabled
{{- end }}
{{- with $r.deployment.gomaxprocsOverride }}
- name: UV_THREADPOOL_SIZE
  value: {{ include "reloader.text" . | quote }}
{{- end }}
{{- with $r.deployment.gomemlimitOverride }}
- name: NODE_OPTIONS
  value: --max-old-space-size={{ include "reloader.mebibytes" . }}
{{- end }}
{{- with $r.alerts }}
{{- if and .enabled .webhookUrlSecret }}
- name: ALERT_WEBHOOK_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "reloader.alerts.webhookUrlSecret.name: name the Secret" .webhookUrlSecret.name | quote }}
      key: {{ required "reloader.alerts.webhookUrlSecret.key: name the key in the Secret" .webhookUrlSecret.key | quote }}
{{- else if and .enabled (not .webhookUrl) (not (hasKey $r.deployment.env.secret "ALERT_WEBHOOK_URL")) }}
{{- fail "reloader.alerts.webhookUrl: alerts need an address, here or in reloader.alerts.webhookUrlSecret" }}
{{- end }}
{{- with .proxy }}
- name: ALERT_WEBHOOK_PROXY
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := $r.deployment.env.open }}
- name: {{ $name | quote }}
  value: {{ include "reloader.text" $value | quote }}
{{- end }}
{{- range $name, $value := include "reloader.secretData" . | fromYaml }}
- name: {{ $name | quote }}
  valueFrom:
    secretKeyRef:
      name: {{ include "reloader.fullname" $ | quote }}
      key: {{ $name | quote }}
{{- end }}
{{- range $name, $path := $r.deployment.env.field }}
- name: {{ $name | quote }}
  valueFrom:
    fieldRef:
      fieldPath: {{ $path | quote }}
{{- end }}
{{- range $secret, $variables := $r.deployment.env.existing }}
{{- range $name, $key := $variables }}
- name: {{ $name | quote }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret | quote }}
      key: {{ $key | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Of a size as Go or Kubernetes writes it: 160MiB, 160Mi, 1GiB, 167772160. */ -}}
{{- define "reloader.mebibytes" -}}
{{- $text := include "reloader.text" . -}}
{{- $number := regexFind "^[0-9]+" $text | int64 -}}
{{- $unit := regexReplaceAll "^[0-9]+" $text "" | trimSuffix "B" -}}
{{- $factors := dict "" 1 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "k" 1000 "M" 1000000 "G" 1000000000 -}}
{{- div (mul $number (get $factors $unit)) 1048576 -}}
{{- end -}}

{{- define "reloader.affinity" -}}
{{- if .Values.reloader.deployment.affinity -}}
{{- toYaml .Values.reloader.deployment.affinity -}}
{{- else if include "reloader.highAvailability" . -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "reloader.selectorLabels" . | nindent 12 }}
{{- end -}}
{{- end -}}
