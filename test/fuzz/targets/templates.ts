/** Templates of ConfigMaps from pods, and of alerts. */
import { compileTemplate, TemplateError } from '../../../packages/operator/src/template/index.ts';
import { must, type Target } from '../target.ts';

const LIMITS = { maxOutputBytes: 2_000, maxSteps: 2_000 };
const DATA = {
  metadata: { name: 'web', labels: { app: 'shop', empty: '' }, annotations: { note: 'grün "☂"' } },
  spec: { containers: [{ name: 'app', image: 'nginx' }], replicas: 3, share: 0.5, none: null },
};

export const templates: Target = {
  name: 'templates',
  code: ['operator/src/template/'],
  longest: 2_000,
  words: [
    ...[
      '{{',
      '}}',
      '{{-',
      '-}}',
      ' | ',
      '(',
      ')',
      ':=',
      '$x',
      '.',
      '"',
      '`',
      "'a'",
      '/*',
      '*/',
      '%v',
      '%-08.3q',
    ],
    ...[
      'if ',
      'else ',
      'end',
      'range ',
      'with ',
      'define "t"',
      'block "t" .',
      'template "t" .',
      'break',
      'continue',
    ],
    ...[
      'printf ',
      'index ',
      'len ',
      'eq ',
      'and ',
      'or ',
      'not ',
      'slice ',
      'upper',
      'trunc 3',
      'default 1 ',
    ],
    ...['.metadata.labels', '.spec.containers', '{{ end }}', '{{ range 9 }}', '0x1p4', '1e999', 'nil'],
  ],
  seeds: [
    '{{ .metadata.name | upper }}',
    '{{ range $i, $c := .spec.containers }}{{ $i }}={{ $c.name }}{{ else }}none{{ end }}',
    '{{- with .metadata }}{{ .labels.app | printf "%-10s|%q" . }}{{ end -}}',
    '{{ define "t" }}{{ . }}{{ end }}{{ template "t" .spec.replicas }}',
    '{{ if and (eq .spec.replicas 3) (gt 2 1) }}{{ len .spec.containers }}{{ else if .x }}{{ end }}',
    '{{ index .metadata.labels "app" }}{{ slice "abcdef" 1 3 }}{{ printf "%5.2f %x %v" 1.5 255 true }}',
  ],
  run(input) {
    const first = outcome(input);
    must(first === outcome(input), 'the same template gives something else the second time');
    must(first.length <= 4 * LIMITS.maxOutputBytes, 'more comes out than is allowed');
  },
};

function outcome(input: string): string {
  try {
    return compileTemplate(input, { name: 'key' }).execute(DATA, LIMITS);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return '';
  }
}
