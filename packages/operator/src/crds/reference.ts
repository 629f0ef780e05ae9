/**
 * The pages of reference for our custom resources, from the same schema that the API server checks them with.
 *
 * In: a definition. Out: Markdown, one table for each object within the resource, in the order of the schema.
 */
import type { KubernetesObject } from '@reloader/runtime';
import { markdownTable } from '../markdown/table.ts';
import type { JsonSchema } from './json-schema.ts';
import { podConfigMapConfigCrd } from './pod-config-map-config.ts';
import { reloaderConfigCrd } from './reloader-config.ts';

interface Definition {
  readonly group: string;
  readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
  readonly versions: readonly {
    readonly name: string;
    readonly additionalPrinterColumns?: readonly Column[];
    readonly schema: { readonly openAPIV3Schema: JsonSchema };
  }[];
}

interface Column {
  readonly name: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

/** Path within the repository to content. */
export function generatedReference(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/reference/reloaderconfig.md', referencePage(reloaderConfigCrd, '../reloaderconfig.md')],
    [
      'docs/reference/podconfigmapconfig.md',
      referencePage(podConfigMapConfigCrd, '../podconfigmapconfig.md'),
    ],
  ]);
}

/** `guide`: the page that explains how to use it, as a link. */
export function referencePage(crd: KubernetesObject & { readonly spec: object }, guide: string): string {
  const { group, names, versions } = crd.spec as Definition;
  const [version] = versions;
  if (!version) throw new Error(`${crd.metadata?.name} has no version`);
  const { openAPIV3Schema: root } = version.schema;
  const parts = ['spec', 'status'].flatMap((name) => {
    const schema = root.properties?.[name];
    return schema ? sections(name, schema) : [];
  });
  return `${[
    '<!-- Generated from packages/operator/src/crds: change it there, then run `npm run generate`. -->',
    `# ${names.kind} reference`,
    `${root.description} How to use it is told in [the guide](${guide}).`,
    markdownTable(
      ['', ''],
      [
        ['apiVersion', code(`${group}/${version.name}`)],
        ['kind', code(names.kind)],
        ['kubectl', [names.plural, ...(names.shortNames ?? [])].map(code).join(', ')],
      ],
    ).trimEnd(),
    ...columns(version.additionalPrinterColumns ?? []),
    ...parts,
  ].join('\n\n')}\n`;
}

function columns(all: readonly Column[]): string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ name, jsonPath, priority }) => [
    name.toUpperCase(),
    code(jsonPath),
    priority === undefined ? '' : 'with `-o wide`',
  ]);
  return ['## Columns of kubectl get', markdownTable(['column', 'shows', ''], rows).trimEnd()];
}

/** The object at `path`, then the objects within it. */
function sections(path: string, schema: JsonSchema): string[] {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return [];
  const rows = properties.map(([name, field]) => [
    code(name),
    typeOf(field),
    schema.required?.includes(name) ? 'yes' : '',
    [field.description ?? '', ...limits(field)].filter((part) => part !== '').join(' '),
  ]);
  const rules = (schema['x-kubernetes-validations'] ?? []).map(({ message }) => `- ${message}`);
  return [
    `${path.includes('.') ? '###' : '##'} ${path}`,
    ...(schema.description ? [schema.description] : []),
    markdownTable(['field', 'type', 'required', 'meaning'], rows).trimEnd(),
    ...(rules.length > 0 ? [`The API server checks:\n\n${rules.join('\n')}`] : []),
    ...properties.flatMap(([name, field]) => [
      ...sections(`${path}.${name}`, field),
      ...(field.items ? sections(`${path}.${name}[]`, field.items) : []),
    ]),
  ];
}

function typeOf({ type, format, items, additionalProperties, pattern, enum: values }: JsonSchema): string {
  if (values) return values.map(code).join(', ');
  if (type === 'array') return `list of ${items ? typeOf(items) : 'anything'}`;
  if (type === 'object' && additionalProperties) return `map to ${typeOf(additionalProperties)}`;
  if (format === 'date-time') return 'time';
  return pattern?.includes('ns|us') ? 'duration' : type;
}

/** What a reader may run into; that a name is a name goes without saying. */
function limits(field: JsonSchema): string[] {
  const { maxItems, maxProperties, 'x-kubernetes-validations': rules = [], properties } = field;
  return [
    ...(maxItems === undefined ? [] : [`At most ${maxItems}.`]),
    ...(maxProperties === undefined ? [] : [`At most ${maxProperties}.`]),
    // Rules of an object stand below its own table.
    ...(properties ? [] : rules.map(({ message }) => `Rule: ${message}.`)),
  ];
}

const code = (text: string): string => `\`${text}\``;
