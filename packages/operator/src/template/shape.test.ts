import { describe, expect, test } from 'vitest';
import { compileTemplate, TemplateError } from './index.ts';
import type { Shape } from './shape.ts';

const SHAPE: Shape = {
  fields: {
    metadata: { fields: { name: 'any', labels: 'any' } },
    spec: { fields: { containers: { items: { fields: { image: 'any' } } } } },
  },
};
const compile = (text: string) => compileTemplate(text, { name: 'line', shape: SHAPE });

describe('a field that is never there is refused', () => {
  test.each([
    ['{{ .metadat.name }}', 'metadat', 'metadata, spec'],
    ['{{ .metadata.nam }}', 'nam', 'name, labels'],
    ['{{ upper .metadata.nam }}', 'nam', 'name, labels'],
    ['{{ .metadata.nam | upper }}', 'nam', 'name, labels'],
    ['{{ $.metadat }}', 'metadat', 'metadata, spec'],
    ['{{ (.metadata).nam }}', 'nam', 'name, labels'],
    ['{{ if true }}{{ .metadat }}{{ end }}', 'metadat', 'metadata, spec'],
    ['{{ if true }}a{{ else }}{{ .metadat }}{{ end }}', 'metadat', 'metadata, spec'],
    ['{{ with .metadata }}{{ .nam }}{{ end }}', 'nam', 'name, labels'],
    ['{{ range .spec.containers }}{{ .imag }}{{ end }}', 'imag', 'image'],
    ['{{ $m := .metadata }}{{ $m.nam }}', 'nam', 'name, labels'],
    ['{{ .toString }}', 'toString', 'metadata, spec'],
    ['{{ .__proto__ }}', '__proto__', 'metadata, spec'],
  ])('%s', (text, field, there) => {
    expect(() => compile(text)).toThrow(TemplateError);
    expect(() => compile(text)).toThrow(
      new RegExp(`line:1:\\d+: there is no field "${field}" here, there are ${there}$`),
    );
    expect(() => compileTemplate(text, { name: 'line' })).not.toThrow();
  });
});

test.each([
  '{{ .metadata.name }} {{ .metadata.labels.anything }}',
  '{{ range .spec.containers }}{{ .image }} {{ $.metadata.name }}{{ end }}',
  '{{ range $i, $c := .spec.containers }}{{ $c.whatever }}{{ end }}',
  '{{ with $x := .metadata.labels }}{{ $x.a }} {{ .b }}{{ end }}',
  '{{ (index .spec.containers 0).whatever }}',
  '{{ define "a" }}{{ .whatever }}{{ end }}{{ template "a" .metadata }}',
  '{{ with .metadata }}{{ with .labels }}{{ .x }}{{ else }}{{ .name }}{{ end }}{{ end }}',
])('what is there, or cannot be told, is accepted: %s', (text) => {
  expect(() => compile(text)).not.toThrow();
});
