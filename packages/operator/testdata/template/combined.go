package main

import "fmt"

var dataSets = map[string]string{
	"pod": `{
  "metadata": {
    "name": "web-0",
    "namespace": "shop",
    "uid": "11111111-2222-3333-4444-555555555555",
    "labels": {"app": "web", "app.kubernetes.io/name": "shop", "version": "1.2.3", "empty": ""},
    "annotations": {"note": "a <b> & \"c\"", "json": "{\"a\":1}", "lines": "one\ntwo\n", "uni": "grün ☂ 🚀"},
    "creationTimestamp": "2026-01-02T03:04:05Z"
  },
  "spec": {
    "nodeName": "node-a",
    "serviceAccountName": "default",
    "containers": [{"name": "app", "image": "nginx:1.27"}, {"name": "side", "image": "busybox:1"}]
  },
  "status": {"phase": "Running", "podIP": "10.0.0.7", "hostIP": "192.168.0.1"},
  "nothing": null
}`,
	"values": `{
  "int": 42, "negative": -7, "zero": 0, "large": 9007199254740991, "rune": 9731,
  "float": 3.25, "small": 0.00001, "huge": 1e+22, "tenth": 0.1,
  "text": "hello", "none": "", "uni": "grün ☂", "quote": "say \"hi\"\n",
  "yes": true, "no": false, "nil": null,
  "list": [1, "two", 3.5], "void": [], "words": ["a", "b"],
  "map": {"b": 1, "a": "x"}, "bare": {}
}`,
}

var names = []string{
	".int", ".negative", ".zero", ".large", ".rune", ".float", ".small", ".huge", ".tenth", ".text", ".none", ".uni",
	".quote", ".yes", ".no", ".nil", ".missing", ".list", ".void", ".map", ".bare",
}

var formats = []string{
	"%v", "%+v", "%#v", "%T", "%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%X", "%#x", "%o", "%#o", "%O", "%b",
	"%c", "%q", "%#q", "%U", "%#U", "%e", "%E", "%.3e", "%f", "%F", "%.2f", "%8.2f", "%-8.2f|", "%08.2f", "%+.1f", "%g",
	"%G", "%.3g", "%#g", "%s", "%8s", "%-8s|", "%.2s", "%8.2s", "%08s", "% x", "%#v|%v", "%t", "%6t", "%z", "%w",
	"%8v", "%-8v|", "%08v", "%.1v", "%8q", "%+q", "%x%%", "%[1]v", "%[1]d %[1]v", "%*d", "%.*f", "%[2]v", "%", "%!",
}

// Everything with everything, where people trip: formats, comparisons, truth, printing.
func combined() []string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, name := range names {
		add("{{ %s }}", name)
		add("{{ if %s }}yes{{ else }}no{{ end }}", name)
		add("{{ with %s }}[{{ . }}]{{ else }}none{{ end }}", name)
		add("{{ len %s }}", name)
		add("{{ not %s }}", name)
		add("{{ print %s }}", name)
		add("{{ print %s %s }}", name, name)
		add("{{ print %s \"-\" %s }}", name, name)
		add("{{ println %s 1 }}", name)
		add("{{ html %s }}", name)
		add("{{ js %s }}", name)
		add("{{ urlquery %s }}", name)
		add("{{ toJson %s }}", name)
		add("{{ quote %s }}", name)
		add("{{ squote %s }}", name)
		add("{{ default \"d\" %s }}", name)
		add("{{ %s | default 7 }}", name)
		add("{{ join \",\" %s }}", name)
		add("{{ upper %s }}", name)
		add("{{ trunc 3 %s }}", name)
		add("{{ index %s 0 }}", name)
		add("{{ index %s 1 }}", name)
		add("{{ index %s \"a\" }}", name)
		add("{{ index .list %s }}", name)
		add("{{ index .map %s }}", name)
		add("{{ slice %s 1 }}", name)
		add("{{ slice %s 0 2 }}", name)
		add("{{ %s.field }}", name)
		add("{{ and %s \"last\" }}", name)
		add("{{ or %s \"last\" }}", name)
		if name != ".large" && name != ".rune" {
			add("{{ range %s }}[{{ . }}]{{ else }}none{{ end }}", name)
			add("{{ range $i, $e := %s }}{{ $i }}={{ $e }};{{ end }}", name)
			add("{{ range $e := %s }}{{ $e }};{{ end }}", name)
			add("{{ repeat %s \"x\" | len }}", name)
		}
		for _, format := range formats {
			add("{{ printf %q %s }}", format, name)
		}
		for _, other := range names {
			for _, operator := range []string{"eq", "ne", "lt", "le"} {
				add("{{ %s %s %s }}", operator, name, other)
			}
		}
	}
	for _, literal := range []string{
		"1", "1.0", "1e3", "0x1F", "0b101", "0o17", "017", "1_000", "-5", "+5", "'a'", `'\n'`, `'☂'`, "1.5e-7", "0x1p4",
		".5", "1.", "1e400", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "08", "0x", "1__0",
		`"a\tb"`, `"\x41\u00e9\U0001F680"`, `"\101"`, "`raw\\n`", `"bad\q"`, `"open`, "'ab'", "''", "true", "false", "nil",
	} {
		add("{{ %s }}", literal)
		add("{{ print %s }}", literal)
		add("{{ printf \"%%T %%v\" %s %s }}", literal, literal)
	}
	for _, operator := range []string{"gt", "ge"} {
		for _, pair := range []string{"1 2", "2 1", "1 1", "1.5 1.5", `"b" "a"`, `"a" "b"`, "1 1.5", "true false"} {
			add("{{ %s %s }}", operator, pair)
		}
	}
	return all
}
