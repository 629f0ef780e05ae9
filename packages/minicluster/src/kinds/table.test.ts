import { expect, test } from 'vitest';
import type { KubeObject } from '../model/object.ts';
import { define } from './builtin/define.ts';
import { tableRow, toTable } from './table.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const thing = define({ kind: 'Thing', plural: 'things' });
const object = {
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
} satisfies KubeObject;

test('a kind without columns shows the name and when it was created', () => {
  const table = toTable(thing, [object], NOW);
  expect(table.columnDefinitions.map(({ name, type, format }) => [name, type, format])).toEqual([
    ['Name', 'string', 'name'],
    ['Created At', 'date', ''],
  ]);
  expect(table.rows[0]?.cells).toEqual(['a', '2026-01-01T00:00:00Z']);
});

test('a row carries the metadata of its object unless told otherwise', () => {
  expect(tableRow(thing, object, NOW).object).toEqual({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: object.metadata,
  });
  expect(tableRow(thing, object, NOW, 'Object').object).toBe(object);
  expect(tableRow(thing, object, NOW, 'None').object).toBeUndefined();
});

test('an empty list is a table with columns and no rows', () => {
  const table = toTable(thing, [], NOW);
  expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [] });
  expect(table.columnDefinitions).toHaveLength(2);
});
