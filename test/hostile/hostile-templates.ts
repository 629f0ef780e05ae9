/**
 * Hostile templates. Those of `ENDLESS` must be stopped by a limit; those of `ODD` are malformed or use names that do
 * not exist, and may end in any way that is quick.
 */

const bomb = (depth: number, leaf: string): string => {
  const levels = Array.from({ length: depth }, (_, index) => {
    const next = index === depth - 1 ? leaf : `{{ template "l${index + 1}" . }}`.repeat(10);
    return `{{ define "l${index}" }}${next}{{ end }}`;
  });
  return `${levels.join('')}{{ template "l0" . }}`;
};
const nested = (open: string, close: string, times: number, inner = 'x'): string =>
  `${open.repeat(times)}${inner}${close.repeat(times)}`;
const big = '{{ $v := repeat 450000 "a" }}';
const wide = '{{ $v := repeat 250000 "äöü" }}';

export const ENDLESS: readonly string[] = [
  // Reported bug: these blocked the operator for more than a minute.
  `${big}{{ $y := printf (repeat 60000 "%.1[1]s") $v }}`,
  `${big}{{ $y := printf (repeat 60000 "%.1[1]q") $v }}`,
  `${big}{{ $y := printf (repeat 60000 "%.1[1]v") $v }}`,
  `${big}{{ $y := printf (repeat 60000 "%.1[1]x") $v }}`,
  `${big}{{ $y := printf (repeat 60000 "%.1[1]X") $v }}`,
  `${wide}{{ $y := printf (repeat 60000 "%.2[1]s") $v }}`,
  `${wide}{{ $y := printf (repeat 60000 "%1[1]d") $v }}`,
  `${big}{{ $y := printf (repeat 60000 "%[1]T") $v }}`,
  `${big}{{ range 19000 }}{{ $y := printf "%.1s" $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := upper $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := lower $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := title $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := trim $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := len $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := index $v 1 }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := slice $v 1 2 }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := trunc 1 $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := replace "a" "b" $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := replace "" "b" $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := html $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := js $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := urlquery $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := toJson $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := quote $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := squote $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := eq $v $v }}{{ end }}`,
  `${big}{{ $w := printf "%sb" $v }}{{ range 19000 }}{{ $y := lt $v $w }}{{ end }}`,
  `${big}{{ $n := printf "%sb%s" (repeat 200000 "a") (repeat 200000 "a") }}{{ range 19000 }}{{ $y := contains $n $v }}{{ end }}`,
  `${big}{{ range 19000 }}{{ $y := splitList "b" $v }}{{ end }}`,
  '{{ $l := splitList "" (repeat 9000 "a") }}{{ range 19000 }}{{ $y := join "," $l }}{{ end }}',
  '{{ $l := splitList "" (repeat 9000 "a") }}{{ range 19000 }}{{ $y := printf "%v" $l }}{{ end }}',
  '{{ $l := splitList "" (repeat 9000 "a") }}{{ $y := printf (repeat 60000 "%[1]v") $l }}',
  '{{ range 1000000000 }}{{ end }}',
  '{{ range 1000000000 }}x{{ end }}',
  '{{ range $i := 40000 }}{{ range $j := 40000 }}{{ end }}{{ end }}',
  '{{ range 9000000000000000000 }}{{ continue }}{{ end }}',
  '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
  '{{ define "a" }}{{ template "b" . }}{{ end }}{{ define "b" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
  bomb(9, 'x'),
  bomb(9, ''),
  bomb(6, '{{ repeat 1000 "x" }}'),
  '{{ $v := "aa" }}{{ range 60 }}{{ $v = printf "%s%s" $v $v }}{{ end }}{{ $v }}',
  '{{ $v := "aa" }}{{ range 60 }}{{ $v = replace "a" "aaaaaaaaaa" $v }}{{ end }}',
  '{{ $v := "<" }}{{ range 60 }}{{ $v = html $v | html | html }}{{ end }}',
  '{{ $v := "\\"" }}{{ range 60 }}{{ $v = quote $v | quote | quote }}{{ end }}',
  '{{ repeat 999999999 "x" }}',
  '{{ range 5000 }}{{ repeat 999999 "x" }}{{ end }}',
  '{{ range 19000 }}{{ printf "%1000d" 1 }}{{ end }}',
  '{{ range 200000 }}{{ printf (repeat 9000 "%[1]*.[1]*[2]d") 999 1 }}{{ end }}',
];

export const ODD: readonly string[] = [
  nested('(', ')', 20_000, '1').replace(/^/, '{{ ').replace(/$/, ' }}'),
  nested('{{ if true }}', '{{ end }}', 2_900),
  nested('{{ with 1 }}', '{{ end }}', 2_900),
  '{{ '.repeat(20_000),
  `{{ ${'. | '.repeat(15_000)} . }}`,
  `{{ ${'not '.repeat(15_000)}1 }}`,
  `{{ ${'.a'.repeat(30_000)} }}`,
  `{{/* ${'*'.repeat(60_000)}`,
  `{{ "${'\\u00e4'.repeat(10_000)}" }}`,
  `{{ ${'9'.repeat(60_000)} }}`,
  '{{ .constructor.constructor }}{{ .__proto__ }}{{ index . "__proto__" }}',
  '{{ call .toString }}',
  nested('(', ')', 4_000, '1').replace(/^/, '{{ ').replace(/$/, ' }}'),
  nested('{{ if true }}', '{{ end }}', 370),
  '{{ '.repeat(2_700),
  '{{ . }}'.repeat(9_000),
  'x'.repeat(65_000),
];

export const HOSTILE_TEMPLATES: readonly string[] = [...ENDLESS, ...ODD];
