import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepEqual } from './equality.ts';
import { intentPatch } from './intent.ts';

const holdsIntent = (live: unknown, intent: unknown): boolean => intentPatch(intent, live) === undefined;

import { applyMergePatch } from './merge-patch.ts';

test.each<[string, unknown, unknown, unknown]>([
  [
    'defaults that the server filled in',
    { spec: { replicas: 1 } },
    { spec: { replicas: 1, paused: false } },
    undefined,
  ],
  [
    'a changed scalar',
    { spec: { replicas: 2 } },
    { spec: { replicas: 1, other: 1 } },
    { spec: { replicas: 2 } },
  ],
  ['a missing field', { spec: { a: 1 } }, {}, { spec: { a: 1 } }],
  [
    'amounts that the server writes differently',
    { requests: { cpu: '1000m', memory: 1024 }, emptyDir: { sizeLimit: '1024Mi' } },
    { requests: { cpu: '1', memory: '1024' }, emptyDir: { sizeLimit: '1Gi' } },
    undefined,
  ],
  ['another amount', { limits: { cpu: '1500m' } }, { limits: { cpu: '1' } }, { limits: { cpu: '1500m' } }],
  [
    'texts that look like amounts',
    { data: { cpu: '1000m' } },
    { data: { cpu: '1' } },
    { data: { cpu: '1000m' } },
  ],
  ['a field wanted absent that is there', { a: null }, { a: 1 }, { a: null }],
  ['a field wanted absent that is not there', { a: null }, {}, undefined],
  ['undefined, which says nothing', { a: undefined }, { a: 1 }, undefined],
  ['an empty map against nothing', { a: {} }, {}, undefined],
  ['an empty map against a filled one', { a: {} }, { a: { b: 1 } }, undefined],
  ['an empty map against a string', { a: {} }, { a: 'x' }, { a: {} }],
  ['an empty list against nothing', { a: [] }, {}, undefined],
  ['an empty list against a filled one', { a: [] }, { a: [1] }, { a: [] }],
  [
    'defaults inside list elements',
    { c: [{ name: 'a' }] },
    { c: [{ name: 'a', policy: 'Always' }] },
    undefined,
  ],
  ['a longer list', { c: [1, 2] }, { c: [1] }, { c: [1, 2] }],
  ['a shorter list', { c: [1] }, { c: [1, 2] }, { c: [1] }],
  ['another order', { c: [1, 2] }, { c: [2, 1] }, { c: [1, 2] }],
  [
    'a changed element',
    { c: [{ n: 'a', v: 2 }] },
    { c: [{ n: 'a', v: 1, d: 0 }] },
    { c: [{ n: 'a', v: 2 }] },
  ],
  [
    'a label that somebody else added',
    { metadata: { labels: { a: '1' } } },
    { metadata: { labels: { a: '1', b: '2' } } },
    undefined,
  ],
  ['a data key left over', { data: { a: '1' } }, { data: { a: '1', b: '2' } }, { data: { b: null } }],
  [
    'a data key changed and one left over',
    { data: { a: '2' } },
    { data: { a: '1', b: '2' } },
    { data: { a: '2', b: null } },
  ],
  ['no wish about data', {}, { data: { a: '1' } }, undefined],
  ['all data unwanted', { data: {} }, { data: { a: '1' } }, { data: { a: null } }],
  [
    'a nodeSelector key left over',
    { spec: { nodeSelector: {} } },
    { spec: { nodeSelector: { a: '1' } } },
    { spec: { nodeSelector: { a: null } } },
  ],
  ['zero against nothing', { a: 0 }, {}, { a: 0 }],
  ['false against nothing', { a: false }, {}, { a: false }],
])('%s', (_, intent, live, patch) => {
  expect(intentPatch(intent, live)).toEqual(patch);
  expect(holdsIntent(live, intent)).toBe(patch === undefined);
});

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(0, 1, 'a', true),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('map'),
  ),
  map: fc.dictionary(fc.constantFrom('x', 'y', 'data', '__proto__'), tie('value'), {
    maxKeys: 3,
    noNullPrototype: false,
  }),
}));

test('after its patch, every object holds the intent', () => {
  fc.assert(
    fc.property(json.map, json.map, (intent, live) => {
      const patch = intentPatch(intent, live);
      const next = patch === undefined ? live : applyMergePatch(live, patch);
      expect(intentPatch(intent, next)).toBeUndefined();
    }),
  );
});

test('every object holds itself, and whatever was taken out of it outside of lists and data', () => {
  fc.assert(
    fc.property(json.map, fc.constantFrom('x', 'y'), (live, name) => {
      expect(holdsIntent(live, live)).toBe(true);
      const { [name]: _, ...less } = live as Record<string, unknown>;
      expect(holdsIntent(live, less)).toBe(true);
      expect(deepEqual(live, live)).toBe(true);
    }),
  );
});
