import { describe, expect, it } from 'vitest';
import type { EnvSlot } from '../model/workload.ts';
import type { TemplateChange, VariableChange } from './template-change.ts';
import { type TemplateShape, templateOperations } from './template-operations.ts';

const slot = (name: string, envIndex: number, containerIndex = 0): EnvSlot => ({
  container: containerIndex === 0 ? 'app' : 'proxy',
  containerIndex,
  envIndex,
  name,
  value: 'old',
});
const shape = (overrides: Partial<TemplateShape> = {}): TemplateShape => ({
  containers: [
    { name: 'app', envCount: 4 },
    { name: 'proxy', envCount: 0 },
  ],
  slots: [],
  hasTemplateAnnotations: true,
  ...overrides,
});
const put = (name: string, container = 'app'): VariableChange => ({ name, container, value: 'new' });
const drop = (name: string): VariableChange => ({ name, container: undefined, value: undefined });
const change = (...variables: VariableChange[]): TemplateChange => ({ variables, annotations: {} });
const app = '/spec/template/spec/containers/0';
const proxy = '/spec/template/spec/containers/1';
const isApp = { op: 'test', path: `${app}/name`, value: 'app' };
const isProxy = { op: 'test', path: `${proxy}/name`, value: 'proxy' };

const table: [string, TemplateChange, TemplateShape, object[]][] = [
  ['nothing', change(), shape(), []],
  [
    'appends after other variables',
    change(put('A')),
    shape(),
    [isApp, { op: 'add', path: `${app}/env/-`, value: { name: 'A', value: 'new' } }],
  ],
  [
    'creates the list with all that belongs there',
    change(put('A', 'proxy'), put('B', 'proxy')),
    shape(),
    [
      isProxy,
      { op: 'test', path: `${proxy}/env`, value: null },
      {
        op: 'add',
        path: `${proxy}/env`,
        value: [
          { name: 'A', value: 'new' },
          { name: 'B', value: 'new' },
        ],
      },
    ],
  ],
  [
    'replaces the whole entry where its name stands',
    change(put('A')),
    shape({ slots: [slot('A', 2)] }),
    [
      isApp,
      { op: 'test', path: `${app}/env/2/name`, value: 'A' },
      { op: 'replace', path: `${app}/env/2`, value: { name: 'A', value: 'new' } },
    ],
  ],
  [
    'replaces every entry of that name, since the last one counts',
    change(put('A')),
    shape({ slots: [slot('A', 0), slot('A', 3)] }),
    [
      isApp,
      { op: 'test', path: `${app}/env/0/name`, value: 'A' },
      { op: 'replace', path: `${app}/env/0`, value: { name: 'A', value: 'new' } },
      { op: 'test', path: `${app}/env/3/name`, value: 'A' },
      { op: 'replace', path: `${app}/env/3`, value: { name: 'A', value: 'new' } },
    ],
  ],
  [
    'leaves the same variable of another container alone',
    change(put('A', 'proxy')),
    shape({ slots: [slot('A', 2)] }),
    [
      isProxy,
      { op: 'test', path: `${proxy}/env`, value: null },
      { op: 'add', path: `${proxy}/env`, value: [{ name: 'A', value: 'new' }] },
    ],
  ],
  [
    'removes from the end, before it appends, wherever it stands',
    change(drop('A'), drop('B'), put('C')),
    shape({ slots: [slot('A', 1), slot('B', 3), slot('A', 0, 1)] }),
    [
      isApp,
      { op: 'test', path: `${app}/env/1/name`, value: 'A' },
      { op: 'test', path: `${app}/env/3/name`, value: 'B' },
      { op: 'remove', path: `${app}/env/3` },
      { op: 'remove', path: `${app}/env/1` },
      { op: 'add', path: `${app}/env/-`, value: { name: 'C', value: 'new' } },
      isProxy,
      { op: 'test', path: `${proxy}/env/0/name`, value: 'A' },
      { op: 'remove', path: `${proxy}/env/0` },
    ],
  ],
  ['has nothing to remove', change(drop('A')), shape(), []],
  ['has no such container', change(put('A', 'gone')), shape(), []],
  [
    'sets annotations one by one in a map that is there',
    { variables: [], annotations: { 'a.b/c': '1', 'd~e': '2' } },
    shape(),
    [
      { op: 'add', path: '/spec/template/metadata/annotations/a.b~1c', value: '1' },
      { op: 'add', path: '/spec/template/metadata/annotations/d~0e', value: '2' },
    ],
  ],
  [
    'creates the map of annotations',
    { variables: [], annotations: { a: '1' } },
    shape({ hasTemplateAnnotations: false }),
    [
      { op: 'test', path: '/spec/template/metadata/annotations', value: null },
      { op: 'add', path: '/spec/template/metadata/annotations', value: { a: '1' } },
    ],
  ],
];

describe('operations on the template', () => {
  it.each(table)('%s', (_, wanted, on, expected) => {
    expect(templateOperations(wanted, on, true).operations).toEqual(expected);
  });

  it('of a custom resource test nothing to be absent, and say that they create something', () => {
    const { operations, creates } = templateOperations(
      { variables: [put('A', 'proxy')], annotations: { a: '1' } },
      shape({ hasTemplateAnnotations: false }),
      false,
    );
    expect(creates).toBe(true);
    expect(operations.filter(({ op }) => op === 'test')).toEqual([isProxy]);
    expect(templateOperations(change(put('A')), shape(), false).creates).toBe(false);
  });
});
