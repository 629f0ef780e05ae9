package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A filler fills every field of a struct type the first time it meets the type, and leaves later ones empty: so every
// field of every type occurs once, and the whole stays small.
type filler struct {
	seen  map[reflect.Type]bool
	count int64
}

func (f *filler) fill(v reflect.Value) {
	f.count++
	switch target := v.Addr().Interface().(type) {
	case *metav1.Time:
		*target = metav1.Unix(1600000000+f.count, 0)
		return
	case *metav1.MicroTime:
		*target = metav1.NewMicroTime(time.Unix(1600000000+f.count, 123456000).UTC())
		return
	case *resource.Quantity:
		*target = resource.MustParse(fmt.Sprintf("%d500m", f.count))
		return
	case *intstr.IntOrString:
		if f.count%2 == 0 {
			*target = intstr.FromInt32(int32(f.count))
		} else {
			*target = intstr.FromString(fmt.Sprintf("%d%%", f.count))
		}
		return
	case *runtime.RawExtension:
		target.Raw = []byte(fmt.Sprintf(`{"raw":%d}`, f.count))
		return
	case *metav1.FieldsV1:
		target.Raw = []byte(`{"f:data":{}}`)
		return
	case *apiextensions.JSON:
		target.Raw = []byte(fmt.Sprintf(`{"json":%d}`, f.count))
		return
	case *apiextensions.JSONSchemaPropsOrBool:
		target.Allows = true
		return
	case *apiextensions.JSONSchemaPropsOrArray:
		target.Schema = &apiextensions.JSONSchemaProps{Type: "string"}
		return
	case *apiextensions.JSONSchemaPropsOrStringArray:
		target.Property = []string{"a", "b"}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		if f.seen[v.Type()] {
			return
		}
		f.seen[v.Type()] = true
		for i := 0; i < v.NumField(); i++ {
			if field := v.Type().Field(i); field.IsExported() && field.Tag.Get("json") != "-" {
				f.fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte{0, 255, byte(f.count)})
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, name := range []string{"one", "two/2"} {
			element := reflect.New(v.Type().Elem()).Elem()
			f.fill(element)
			v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), element)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("text-%d ü", f.count))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(f.count - 5*(f.count%3))
	case reflect.Float64:
		v.SetFloat(float64(f.count) + 0.5)
	}
}

type sample struct {
	Kind string `json:"kind"`
	// Empty is Go's encoding of a new object.
	Empty json.RawMessage `json:"empty"`
	// JSON and Protobuf hold the same filled object.
	JSON     json.RawMessage `json:"json"`
	Protobuf string          `json:"protobuf"`
}

func writeSamples(scheme *runtime.Scheme) {
	serializer := protobuf.NewSerializer(scheme, scheme)
	f := &filler{seen: map[reflect.Type]bool{}}
	lines := make([]string, 0, len(roots))
	for _, name := range roots {
		parts := strings.Split(name, "/")
		gvk := schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}
		object, err := scheme.New(gvk)
		must(err)
		empty, err := json.Marshal(object)
		must(err)
		f.fill(reflect.ValueOf(object).Elem())
		object.GetObjectKind().SetGroupVersionKind(gvk)
		filled, err := json.Marshal(object)
		must(err)
		encoded, err := runtime.Encode(serializer, object)
		must(err)
		line, err := json.Marshal(sample{name, empty, filled, base64.StdEncoding.EncodeToString(encoded)})
		must(err)
		lines = append(lines, string(line))
	}
	_, err := os.Stdout.WriteString("[\n" + strings.Join(lines, ",\n") + "\n]\n")
	must(err)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
