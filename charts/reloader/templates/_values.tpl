{{- /*
`helm upgrade --reuse-values` brings the values of the release that is there and none of the defaults of this chart: after
an upgrade from Stakater's chart, or from an older version of ours, names are missing. And a null means that nothing was
said. Both get the default, from a copy of values.yaml (`npm run generate`), because Helm shows that file to no template.
Every template includes this first.
*/ -}}
{{- define "reloader.fillValues" -}}
{{- include "reloader.fill" (dict "into" .Values "from" (.Files.Get "files/defaults.yaml" | fromYaml)) -}}
{{- include "reloader.dropNulls" .Values -}}
{{- end -}}

{{- /* What is still null has no default: an entry of a map that users fill, or a part of a pod. Neither is written. */ -}}
{{- define "reloader.dropNulls" -}}
{{- $map := . -}}
{{- range $key, $value := $map -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $map $key -}}
{{- else if kindIs "map" $value -}}
{{- include "reloader.dropNulls" $value -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Helm reads every number as a float, which is written with an exponent from a million on. */ -}}
{{- define "reloader.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}{{ printf "%.0f" . }}{{- else -}}{{ toString . }}{{- end -}}
{{- end -}}

{{- /* Parts of a pod may be taken away with a null, as in `resources: null`: these are left as they are. */ -}}
{{- define "reloader.fill" -}}
{{- $removable := list "resources" "securityContext" "containerSecurityContext" -}}
{{- $whole := list "labels" "updatePolicy" -}}
{{- $into := .into -}}
{{- range $key, $default := .from -}}
{{- $given := index $into $key -}}
{{- if has $key $removable -}}
{{- else if kindIs "invalid" $given -}}
{{- $_ := set $into $key $default -}}
{{- else if and (kindIs "map" $given) (kindIs "map" $default) (not (has $key $whole)) -}}
{{- include "reloader.fill" (dict "into" $given "from" $default) -}}
{{- end -}}
{{- end -}}
{{- end -}}
