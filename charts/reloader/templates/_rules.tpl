{{- /* What watching and reloading takes in every namespace in question. Each rule is there because a test fails without it. */ -}}
{{- define "reloader.rules" -}}
{{- $r := .Values.reloader -}}
{{- $reloads := and (include "reloader.runs" (dict "root" . "controller" "reloader") | eq "true") (not $r.webhookUrl) -}}
{{- $writes := and $reloads (eq $r.mode "reload") -}}
{{- $hash := ternary (list "patch") list (and $reloads $r.writeSourceHash) -}}
{{- $rules := list -}}
{{- if include "reloader.runs" (dict "root" . "controller" "reloader") -}}
{{- if not $r.ignoreSecrets -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "secrets") "verbs" (concat (list "list" "watch") $hash)) -}}
{{- end -}}
{{- if and $reloads $r.alerts.secretRefs -}}
{{- /* Addresses of alerts, of which a ReloaderConfig names only the Secret. */ -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "secrets") "verbs" (list "get")) -}}
{{- end -}}
{{- if not $r.ignoreConfigMaps -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "configmaps") "verbs" (concat (list "list" "watch") $hash)) -}}
{{- end -}}
{{- if $r.enableCSIIntegration -}}
{{- $rules = append $rules (dict "apiGroups" (list "secrets-store.csi.x-k8s.io") "resources" (list "secretproviderclasses" "secretproviderclasspodstatuses") "verbs" (list "list" "watch")) -}}
{{- end -}}
{{- end -}}
{{- if $reloads -}}
{{- $change := ternary (list "patch") list $writes -}}
{{- $rules = append $rules (dict "apiGroups" (list "apps") "resources" (list "deployments" "statefulsets" "daemonsets") "verbs" (concat (list "list" "watch") $change)) -}}
{{- if $writes -}}
{{- /* Where a reload that failed goes back to. */ -}}
{{- $rules = append $rules (dict "apiGroups" (list "apps") "resources" (list "replicasets" "controllerrevisions") "verbs" (list "list")) -}}
{{- end -}}
{{- if not $r.ignoreCronJobs -}}
{{- $rules = append $rules (dict "apiGroups" (list "batch") "resources" (list "cronjobs") "verbs" (concat (list "list" "watch") (ternary (list "get") list $writes))) -}}
{{- end -}}
{{- if not $r.ignoreJobs -}}
{{- $rules = append $rules (dict "apiGroups" (list "batch") "resources" (list "jobs") "verbs" (concat (list "list" "watch") (ternary (list "get") list $writes))) -}}
{{- end -}}
{{- if and $writes (not (and $r.ignoreJobs $r.ignoreCronJobs)) -}}
{{- /* Jobs are made again, and CronJobs run. Whoever creates a Job runs code as any account of its namespace. */ -}}
{{- $rules = append $rules (dict "apiGroups" (list "batch") "resources" (list "jobs") "verbs" (concat (list "create") (ternary list (list "delete") $r.ignoreJobs))) -}}
{{- end -}}
{{- if $r.isArgoRollouts -}}
{{- $rules = append $rules (dict "apiGroups" (list "argoproj.io") "resources" (list "rollouts") "verbs" (concat (list "list" "watch") $change)) -}}
{{- if $writes -}}
{{- /* A Rollout may borrow the template of a Deployment, which is read before it is changed. */ -}}
{{- $rules = append $rules (dict "apiGroups" (list "apps") "resources" (list "deployments") "verbs" (list "get")) -}}
{{- end -}}
{{- end -}}
{{- if $r.isOpenshift -}}
{{- $rules = append $rules (dict "apiGroups" (list "apps.openshift.io") "resources" (list "deploymentconfigs") "verbs" (concat (list "list" "watch") $change)) -}}
{{- end -}}
{{- $rules = append $rules (dict "apiGroups" (list "reloader.stakater.com") "resources" (list "reloaderconfigs") "verbs" (list "get" "list" "watch")) -}}
{{- $rules = append $rules (dict "apiGroups" (list "reloader.stakater.com") "resources" (list "reloaderconfigs/status") "verbs" (list "patch")) -}}
{{- end -}}
{{- $podconfig := include "reloader.runs" (dict "root" . "controller" "podconfig") -}}
{{- if $podconfig -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "pods") "verbs" (list "list" "watch")) -}}
{{- /* Where OwnerReferencesPermissionEnforcement is on, whoever writes an owner that blocks deletion needs it. */ -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "pods/finalizers") "verbs" (list "update")) -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "configmaps") "verbs" (list "get" "list" "watch" "create" "patch" "delete")) -}}
{{- $rules = append $rules (dict "apiGroups" (list "podconfig.example.com") "resources" (list "podconfigmapconfigs") "verbs" (list "get" "list" "watch")) -}}
{{- $rules = append $rules (dict "apiGroups" (list "podconfig.example.com") "resources" (list "podconfigmapconfigs/status") "verbs" (list "patch")) -}}
{{- else if $reloads -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "pods") "verbs" (list "list")) -}}
{{- if and $writes $r.restoreConfigMaps -}}
{{- /* Contents that worked are kept as copies, and put back after a reload that failed. */ -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "configmaps") "verbs" (list "create" "patch" "delete")) -}}
{{- end -}}
{{- end -}}
{{- if and $writes (or $r.evictions (eq $r.rolloutStrategy "restart")) -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "pods/eviction") "verbs" (list "create")) -}}
{{- end -}}
{{- if or $reloads $podconfig -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "events") "verbs" (list "create" "patch")) -}}
{{- end -}}
{{- toYaml $rules -}}
{{- end -}}

{{- /* In its own namespace: digest key, notes, history, meta info, Jobs being re-created, lease, certificate. */ -}}
{{- define "reloader.ownRules" -}}
{{- $r := .Values.reloader -}}
{{- $reloads := and (include "reloader.runs" (dict "root" . "controller" "reloader") | eq "true") (not $r.webhookUrl) -}}
{{- $secrets := list -}}
{{- $rules := list -}}
{{- if $reloads -}}
{{- $secrets = append $secrets "reloader-digest-key" -}}
{{- if eq $r.mode "reload" -}}
{{- /* Notes have names of their own for each namespace. */ -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "configmaps") "verbs" (list "create" "get" "list" "update")) -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "configmaps") "resourceNames" (list "reloader-history" "reloader-meta-info") "verbs" (list "patch")) -}}
{{- else -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "configmaps") "verbs" (list "create")) -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "configmaps") "resourceNames" (list "reloader-history" "reloader-meta-info") "verbs" (list "get" "update" "patch")) -}}
{{- end -}}
{{- if and (not $r.ignoreJobs) (eq $r.mode "reload") -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "secrets") "verbs" (list "list" "update" "delete")) -}}
{{- end -}}
{{- end -}}
{{- if and $r.secureMetrics.enabled (not $r.secureMetrics.certificateSecret) -}}
{{- $secrets = append $secrets "reloader-metrics-cert" -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "secrets") "resourceNames" (list "reloader-metrics-cert") "verbs" (list "update")) -}}
{{- end -}}
{{- if or $r.api.enabled $r.ui.enabled -}}
{{- $secrets = append $secrets "reloader-api-cert" -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "secrets") "resourceNames" (list "reloader-api-cert") "verbs" (list "update")) -}}
{{- end -}}
{{- if $r.admission.enabled -}}
{{- $name := include "reloader.admissionName" . -}}
{{- $secrets = append $secrets $name -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "secrets") "resourceNames" (list $name) "verbs" (list "update")) -}}
{{- end -}}
{{- if $secrets -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "secrets") "verbs" (list "create")) -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "secrets") "resourceNames" $secrets "verbs" (list "get")) -}}
{{- end -}}
{{- if include "reloader.highAvailability" . -}}
{{- $rules = append $rules (dict "apiGroups" (list "coordination.k8s.io") "resources" (list "leases") "verbs" (list "create")) -}}
{{- $rules = append $rules (dict "apiGroups" (list "coordination.k8s.io") "resources" (list "leases") "resourceNames" (list "stakater-reloader-lock") "verbs" (list "get" "update")) -}}
{{- end -}}
{{- toYaml $rules -}}
{{- end -}}
