// Writes the facts that minicluster needs about the Go types behind the built-in kinds: the fields of a struct, the
// JSON name and the protobuf number of each, and whether it is omitted when empty. An API server decodes and encodes
// bodies (and words its errors) by these facts, and no OpenAPI document contains them.
//
// Run it through ../generate.ts, which writes src/schema/gotypes.generated.ts.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// field: [JSON name, type code, protobuf number (0: not on the wire), flags].
type field [4]any

const (
	omitEmpty = 1 << iota // left out of JSON when empty
	inline                // its fields appear in the parent's JSON object
	pointer
	omitZero // a struct that is left out when all of it is zero
)

type table struct {
	// Kinds leads from "group/version/Kind" to the number of a struct.
	Kinds   map[string]int `json:"kinds"`
	Structs [][]any        `json:"structs"`
}

type collector struct {
	numbers map[reflect.Type]int
	structs [][]any
}

// Types that write themselves: their code names the way they do it.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                                             "time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                                        "microtime",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                                         "raw",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                                         "quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                                       "intorstring",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                                          "raw",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":                         "raw",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool":        "schemaorbool",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray":       "schemaorarray",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": "schemaorstrings",
}

func fullName(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

// goName is the type as Go's messages print it.
func goName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.String()
	}
	return path.Base(t.PkgPath()) + "." + t.Name()
}

// code describes t: a basic word, "[]" or "{}" before an element's code, or "#n" for struct n. A named type that is no
// struct carries its Go name, since messages print it: "string~v1.Protocol", "[v1.ExtraValue]string".
func (c *collector) code(t reflect.Type) string {
	if word, ok := special[fullName(t)]; ok {
		return word
	}
	name := ""
	if t.PkgPath() != "" {
		name = goName(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return c.code(t.Elem())
	case reflect.Struct:
		return "#" + strconv.Itoa(c.number(t))
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[" + name + "]" + c.code(t.Elem())
	case reflect.Map:
		return "{" + name + "}" + c.code(t.Elem())
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64:
		if name != "" {
			name = "~" + name
		}
		return t.Kind().String() + name
	}
	panic(fmt.Sprintf("no code for %s of kind %s", t, t.Kind()))
}

func (c *collector) number(t reflect.Type) int {
	if n, ok := c.numbers[t]; ok {
		return n
	}
	n := len(c.structs)
	c.numbers[t] = n
	c.structs = append(c.structs, nil)
	row := []any{goName(t)}
	for i := 0; i < t.NumField(); i++ {
		if f, ok := c.field(t.Field(i)); ok {
			row = append(row, f)
		}
	}
	c.structs[n] = row
	return n
}

func (c *collector) field(f reflect.StructField) (field, bool) {
	tag := f.Tag.Get("json")
	if tag == "-" || !f.IsExported() {
		return field{}, false
	}
	parts := strings.Split(tag, ",")
	flags := 0
	for _, option := range parts[1:] {
		switch option {
		case "omitempty":
			flags |= omitEmpty
		case "omitzero":
			flags |= omitZero
		}
	}
	if parts[0] == "" && f.Anonymous {
		flags |= inline
	}
	if f.Type.Kind() == reflect.Pointer {
		flags |= pointer
	}
	number := 0
	if proto := f.Tag.Get("protobuf"); proto != "" {
		number, _ = strconv.Atoi(strings.Split(proto, ",")[1])
	}
	return field{parts[0], c.code(f.Type), number, flags}, true
}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range packages {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "samples" {
		writeSamples(scheme)
		return
	}
	c := &collector{numbers: map[reflect.Type]int{}}
	kinds := map[string]int{}
	for _, name := range roots {
		parts := strings.Split(name, "/")
		gvk := schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}
		object, err := scheme.New(gvk)
		if err != nil {
			panic(err)
		}
		kinds[name] = c.number(reflect.TypeOf(object).Elem())
	}
	write(table{Kinds: kinds, Structs: c.structs})
}

// write prints one line per struct, so that a change shows as one changed line.
func write(t table) {
	names := make([]string, 0, len(t.Kinds))
	for name := range t.Kinds {
		names = append(names, name)
	}
	sort.Strings(names)
	out := &strings.Builder{}
	out.WriteString("{\"kinds\":{")
	for i, name := range names {
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(out, "%q:%d", name, t.Kinds[name])
	}
	out.WriteString("},\n\"structs\":[\n")
	for i, row := range t.Structs {
		line, err := json.Marshal(row)
		if err != nil {
			panic(err)
		}
		out.Write(line)
		if i < len(t.Structs)-1 {
			out.WriteString(",")
		}
		out.WriteString("\n")
	}
	out.WriteString("]}\n")
	if _, err := os.Stdout.WriteString(out.String()); err != nil {
		panic(err)
	}
}
