import { describe, expect, test } from 'vitest';
import { renderPlain } from './plain.ts';
import { renderAll } from './render.ts';

const data = {
  metadata: { name: 'web-1', labels: { app: 'shop' }, annotations: { long: 'x'.repeat(50_000) } },
  spec: { containers: [{ image: 'nginx:1.27' }] },
};

const render = (...sources: string[]): string[] | undefined =>
  renderPlain({
    templates: sources.map((source, index) => [`t${index}`, source] as const),
    data,
    maxOutputBytes: 10_000,
  });

describe('A template that only prints fields', () => {
  test.each([
    'text',
    '{{ .metadata.name }} runs {{ (index .spec.containers 0).image }}',
    '{{ if .metadata.labels.app }}{{ index .metadata.labels "app" }}{{ else }}none{{ end }}',
    '{{ with .metadata }}{{ .name }}{{ end }}{{ 7 }}',
  ])('needs no thread, and has the same text: %s', (source) => {
    const templates = [['t0', source]] as const;
    expect(render(source)).toEqual(renderAll({ templates, data, maxOutputBytes: 10_000 }));
  });

  test.each([
    ['loops', '{{ range .spec.containers }}{{ .image }}{{ end }}'],
    ['calls a function', '{{ .metadata.name | upper }}'],
    ['calls a function inside', '{{ index .metadata.labels (printf "%s" "app") }}'],
    ['has a variable', '{{ $x := .metadata.name }}{{ $x }}'],
    ['defines another', '{{ define "a" }}x{{ end }}{{ template "a" }}'],
    ['is wrong', '{{ end }}'],
    ['fails with this data', '{{ index .spec.containers 7 }}'],
    ['is long', 'x'.repeat(2_001)],
    ['has many parts', '{{ .metadata.name }}'.repeat(60)],
    ['handles much data', '{{ .metadata.annotations.long }}'],
  ])('is left to the thread if it %s', (_, source) => {
    expect(render(source)).toBeUndefined();
  });

  test('is left to the thread with a template beside it that is', () => {
    expect(render('{{ .metadata.name }}', '{{ upper "a" }}')).toBeUndefined();
  });
});
