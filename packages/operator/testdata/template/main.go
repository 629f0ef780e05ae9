// Writes cases.generated.json: templates, and what Go's own text/template makes of them.
//
//	cd packages/operator/testdata/template && go run main.go combined.go written.go
//
// Our further functions have the meaning that Helm users know; here they are on Go's standard library.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"text/template"
)

type Case struct {
	Template string `json:"template"`
	// The name of one of the data sets.
	Data string `json:"data"`
	// Absent when it fails.
	Output *string `json:"output,omitempty"`
	// "parse" or "execute".
	Fails string `json:"fails,omitempty"`
}

type File struct {
	Data  map[string]json.RawMessage `json:"data"`
	Cases []Case                     `json:"cases"`
}

var functions = template.FuncMap{
	"upper":      strings.ToUpper,
	"lower":      strings.ToLower,
	"title":      strings.Title,
	"trim":       strings.TrimSpace,
	"trimPrefix": func(prefix, text string) string { return strings.TrimPrefix(text, prefix) },
	"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
	"trunc":      trunc,
	"replace":    func(old, by, text string) string { return strings.ReplaceAll(text, old, by) },
	"contains":   func(part, text string) bool { return strings.Contains(text, part) },
	"hasPrefix":  func(prefix, text string) bool { return strings.HasPrefix(text, prefix) },
	"hasSuffix":  func(suffix, text string) bool { return strings.HasSuffix(text, suffix) },
	"repeat":     func(count int, text string) string { return strings.Repeat(text, count) },
	"quote":      func(values ...any) string { return each(values, "%q") },
	"squote":     func(values ...any) string { return each(values, "'%s'") },
	"default":    fallback,
	"join":       join,
	"splitList":  func(separator, text string) []string { return strings.Split(text, separator) },
	"toJson":     toJson,
}

func trunc(length int, text string) string {
	if length < 0 && len(text)+length > 0 {
		return text[len(text)+length:]
	}
	if length >= 0 && len(text) > length {
		return text[:length]
	}
	return text
}

func each(values []any, format string) string {
	var parts []string
	for _, value := range values {
		if value != nil {
			parts = append(parts, fmt.Sprintf(format, fmt.Sprint(value)))
		}
	}
	return strings.Join(parts, " ")
}

func fallback(otherwise any, given ...any) any {
	if len(given) == 0 || given[0] == nil {
		return otherwise
	}
	if truth, _ := template.IsTrue(given[0]); !truth {
		return otherwise
	}
	return given[0]
}

func join(separator string, list any) string {
	value := reflect.ValueOf(list)
	if list == nil {
		return ""
	}
	if value.Kind() != reflect.Slice {
		return fmt.Sprint(list)
	}
	var parts []string
	for index := range value.Len() {
		if item := value.Index(index).Interface(); item != nil {
			parts = append(parts, fmt.Sprint(item))
		}
	}
	return strings.Join(parts, separator)
}

func toJson(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// As our engine reads data: whole numbers are ints.
func numbers(value any) any {
	switch typed := value.(type) {
	case json.Number:
		if whole, err := typed.Int64(); err == nil {
			return int(whole)
		}
		float, _ := typed.Float64()
		return float
	case []any:
		for index := range typed {
			typed[index] = numbers(typed[index])
		}
	case map[string]any:
		for key := range typed {
			typed[key] = numbers(typed[key])
		}
	}
	return value
}

func dataOf(name string) any {
	decoder := json.NewDecoder(strings.NewReader(dataSets[name]))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return numbers(value)
}

func run(text string, data string) Case {
	found := Case{Template: text, Data: data}
	parsed, err := template.New("case").Funcs(functions).Parse(text)
	if err != nil {
		found.Fails = "parse"
		return found
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, dataOf(data)); err != nil {
		found.Fails = "execute"
		return found
	}
	output := out.String()
	found.Output = &output
	return found
}

func main() {
	file := File{Data: map[string]json.RawMessage{}}
	for name, text := range dataSets {
		file.Data[name] = json.RawMessage(text)
	}
	seen := map[string]bool{}
	add := func(text, data string) {
		if key := data + "\x00" + text; !seen[key] {
			seen[key] = true
			file.Cases = append(file.Cases, run(text, data))
		}
	}
	for _, text := range written {
		add(text, "pod")
	}
	for _, text := range combined() {
		add(text, "values")
	}
	_, here, _, _ := runtime.Caller(0)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(file); err != nil {
		panic(err)
	}
	target := filepath.Join(filepath.Dir(here), "cases.generated.json")
	if err := os.WriteFile(target, out.Bytes(), 0o644); err != nil {
		panic(err)
	}
	fmt.Printf("%d cases in %s\n", len(file.Cases), target)
}
