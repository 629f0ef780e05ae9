import { readFileSync } from 'node:fs';
import { referencePage } from '@reloader/runtime/kind';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { podConfigMapConfigCrd } from './pod-config-map-config.ts';
import { generatedReference } from './reference.ts';
import { reloaderConfigCrd } from './reloader-config.ts';

describe.each([...generatedReference()])('%s', (path, content) => {
  test('is up to date: run `npm run generate`', () => {
    expect(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')).toBe(content);
  });

  test('no cell breaks its row', () => {
    let columns = 0;
    for (const line of content.split('\n')) {
      const found = line.match(/(?<!\\)\|/g)?.length ?? 0;
      if (columns > 0 && found > 0) expect(found, line).toBe(columns);
      columns = found;
    }
  });
});

/** Sections and, in each, the fields of its table. */
function tablesOf(page: string): Map<string, string[]> {
  const tables = new Map<string, string[]>();
  let fields: string[] = [];
  for (const line of page.split('\n')) {
    const [, section] = /^###? (\S+)$/.exec(line) ?? [];
    const [, field] = /^\| `([^`]+)` /.exec(line) ?? [];
    if (section) {
      fields = [];
      tables.set(section, fields);
    } else if (field) fields.push(field);
  }
  return tables;
}

function objectsIn(path: string, schema: JsonSchema): [string, string[]][] {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return [];
  return [
    [path, properties.map(([name]) => name)],
    ...properties.flatMap(([name, field]) => [
      ...objectsIn(`${path}.${name}`, field),
      ...(field.items ? objectsIn(`${path}.${name}[]`, field.items) : []),
    ]),
  ];
}

test.each([reloaderConfigCrd, podConfigMapConfigCrd])('the page of $metadata.name has every field', (crd) => {
  const { versions } = crd.spec as { versions: { schema: { openAPIV3Schema: JsonSchema } }[] };
  const { spec, status } = versions[0]?.schema.openAPIV3Schema.properties ?? {};
  const tables = tablesOf(referencePage(crd, { guide: 'guide.md' }));
  const expected = [
    ...objectsIn('spec', spec ?? { type: 'object' }),
    ...objectsIn('status', status ?? { type: 'object' }),
  ];
  expect(expected.length).toBeGreaterThan(3);
  for (const [path, fields] of expected) expect(tables.get(path), path).toEqual(fields);
});

test('says what is required, what is allowed and what the server refuses', () => {
  const page = referencePage(reloaderConfigCrd, { guide: 'guide.md' });
  expect(page).toMatch(/\| `kind` +\| `Deployment`, `StatefulSet`.*\| yes +\|/);
  expect(page).toMatch(/\| `settle` +\| duration .*Rule: settle must be at most 1h\./);
  expect(page).toMatch(/\| `secrets` +\| list of string .*At most 1000\./);
  expect(page).toContain('- a channel needs url or secretRef');
});
