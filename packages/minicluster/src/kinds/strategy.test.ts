import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject, ManagedFields } from '../model/object.ts';
import { StatusError } from '../model/status.ts';
import { definition } from '../schema/definitions.ts';
import { readTyped } from '../schema/typed.ts';
import { builtinKinds } from './builtin/index.ts';
import { loadCases } from './cases.test.helper.ts';
import type { Kind } from './kind.ts';
import { KindRegistry } from './registry.ts';
import {
  applyDefaults,
  gracePeriodOf,
  missingResourceVersion,
  prepareCreate,
  prepareStatusUpdate,
  prepareUpdate,
  resetFields,
  validateCreate,
  validateUpdate,
} from './strategy.ts';
import { toTable } from './table.ts';

const context = { now: 0, list: () => [], random: () => 0.5 };
const registry = new KindRegistry();
const kind = (group: string, plural: string): Kind => {
  const found = registry.preferred(group, plural);
  if (!found) throw new Error(`${plural} is not served`);
  return found;
};

const named = (fields: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: {
    name: 'x',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  ...fields,
});

describe('deleting a pod', () => {
  const pod = (spec: object, phase = 'Running'): KubeObject => named({ spec, status: { phase } });
  const pods = kind('', 'pods');

  test.each([
    ['waits as long as the pod says', pod({ nodeName: 'a', terminationGracePeriodSeconds: 7 }), undefined, 7],
    ['waits as long as the client says', pod({ nodeName: 'a', terminationGracePeriodSeconds: 7 }), 3, 3],
    ['waits a second when told less than nothing', pod({ nodeName: 'a' }), -5, 1],
    ['does not wait for a pod without node', pod({ terminationGracePeriodSeconds: 7 }), undefined, 0],
    [
      'does not wait for a pod that has ended',
      pod({ nodeName: 'a', terminationGracePeriodSeconds: 7 }, 'Failed'),
      9,
      0,
    ],
  ])('%s', (_, object, requested, seconds) => {
    expect(gracePeriodOf(pods, object, requested)).toBe(seconds);
  });

  test('is the only deletion that waits', () => {
    expect(gracePeriodOf(kind('', 'configmaps'), named({}), 30)).toBe(0);
  });
});

test('fields that a write ignores are not owned by it', () => {
  expect(resetFields(kind('apps', 'deployments'))).toEqual([['status']]);
  expect(resetFields(kind('apps', 'deployments'), 'status')).toEqual([['spec'], ['metadata', 'labels']]);
  expect(resetFields(kind('', 'configmaps'))).toEqual([]);
});

test('a missing resourceVersion is named as upstream names it', () => {
  expect(missingResourceVersion()).toMatchObject({
    field: 'metadata.resourceVersion',
    message: 'Invalid value: 0: must be specified for an update',
  });
});

test('an update keeps a deletion that has begun', () => {
  const old = named({});
  old.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  old.metadata.deletionGracePeriodSeconds = 5;
  const object = named({});
  prepareUpdate(kind('', 'configmaps'), object, old, context);
  expect(object.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 5,
  });
});

test('an object that is going takes no new finalizers', () => {
  const old = named({});
  old.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  old.metadata.finalizers = ['a.com/1', 'a.com/2'];
  const object = structuredClone(old);
  object.metadata.finalizers = ['a.com/1', 'b.com/3'];
  const errors = validateUpdate(kind('', 'configmaps'), object, old);
  expect(errors[0]).toEqual({
    reason: 'FieldValueForbidden',
    field: 'metadata.finalizers',
    message:
      'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b.com/3"}',
  });
});

test.each([
  [{ operation: 'Apply' }, []],
  [{ operation: 'Update', fieldsType: 'FieldsV1' }, []],
  [{ operation: 'Merge' }, ['metadata.managedFields[0].operation']],
  [{ operation: 'Apply', fieldsType: 'FieldsV2' }, ['metadata.managedFields[0].fieldsType']],
  [{ operation: 'Apply', manager: 'm'.repeat(129) }, ['metadata.managedFields[0].manager']],
])('an entry of managedFields: %j', (entry, fields) => {
  const object = named({});
  object.metadata.managedFields = [entry as ManagedFields];
  expect(validateCreate(kind('', 'configmaps'), object).map(({ field }) => field)).toEqual(fields);
});

test.each([
  [['orphan'], 0],
  [['foregroundDeletion'], 0],
  [['orphan', 'foregroundDeletion'], 1],
])('finalizers %j have %d faults', (finalizers, count) => {
  const object = named({});
  object.metadata.finalizers = finalizers;
  expect(validateCreate(kind('', 'configmaps'), object)).toHaveLength(count);
});

test.each(['constructor', '__proto__', 'toString'])('a Secret of type %s is like any other', (type) => {
  expect(validateCreate(kind('', 'secrets'), named({ type }))).toEqual([]);
});

test('annotations have a total size', () => {
  const object = named({});
  object.metadata.annotations = { big: 'x'.repeat(256 * 1024) };
  expect(validateCreate(kind('', 'configmaps'), object)).toEqual([
    {
      reason: 'FieldValueTooLong',
      field: 'metadata.annotations',
      message: 'Too long: may not be more than 262144 bytes',
    },
  ]);
});

test.each([
  ['configmaps', { data: { a: 'x'.repeat(1024 * 1024 + 1) } }, '[]'],
  ['secrets', { type: 'Opaque', data: { a: Buffer.alloc(1024 * 1024 + 1).toString('base64') } }, 'data'],
])('%s hold a mebibyte', (plural, fields, field) => {
  expect(validateCreate(kind('', plural), named(fields))).toEqual([
    { reason: 'FieldValueTooLong', field, message: 'Too long: may not be more than 1048576 bytes' },
  ]);
});

/** The cases' bodies with one value replaced. */
const damaged = fc
  .tuple(fc.constantFrom(...loadCases().filter(({ crd }) => !crd)), fc.nat(), fc.jsonValue())
  .map(([entry, position, replacement]) => {
    const body = structuredClone(entry.create);
    const places: [Record<string, unknown>, string][] = [];
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const key of Object.keys(value)) {
        // metadata is already type-checked here, whatever was sent.
        if (value === body && ['apiVersion', 'kind', 'metadata'].includes(key)) continue;
        places.push([value as Record<string, unknown>, key]);
        collect((value as Record<string, unknown>)[key]);
      }
    };
    collect(body);
    const place = places[position % places.length];
    if (place) place[0][place[1]] = replacement;
    return body;
  });

test('no body makes a kind throw', () => {
  fc.assert(
    fc.property(damaged, (body) => {
      const found = registry.byKind(String(body.apiVersion), String(body.kind));
      if (!found) return;
      try {
        const read = structuredClone(readTyped(body, found).object);
        const object = {
          ...named({}),
          ...read,
          metadata: { ...named({}).metadata, ...(read.metadata as object) },
        };
        const old = structuredClone(object);
        applyDefaults(found, object);
        prepareCreate(found, object, context);
        validateCreate(found, object);
        prepareUpdate(found, object, old, context);
        validateUpdate(found, object, old);
        prepareStatusUpdate(found, object, old, context);
        found.validateStatusUpdate?.(object, old);
        found.warnings?.(object, old);
        toTable(found, [object], 0);
        for (const read of Object.values(found.selectableFields ?? {})) read(object);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
      }
    }),
    { numRuns: 500 },
  );
});

test('defaults fill what is absent and then nothing more', () => {
  fc.assert(
    fc.property(damaged, (body) => {
      const found = registry.byKind(String(body.apiVersion), String(body.kind));
      if (!found) return;
      const once = { ...named({}), ...structuredClone(body) } as KubeObject;
      applyDefaults(found, once);
      const twice = structuredClone(once);
      applyDefaults(found, twice);
      expect(twice).toEqual(once);
    }),
    { numRuns: 300 },
  );
});

test('every built-in kind has a definition', () => {
  expect(builtinKinds.filter((kind) => !definition(kind.definition ?? '')).map(({ kind }) => kind)).toEqual(
    [],
  );
});

test('Jobs leave their pods behind unless a deletion says otherwise', () => {
  const orphaning = builtinKinds
    .filter(({ orphansByDefault }) => orphansByDefault)
    .map(({ plural }) => plural);
  expect(orphaning.sort()).toEqual(['jobs', 'replicationcontrollers']);
});

test('a name that does not exist can be PUT where upstream allows it', () => {
  const creating = builtinKinds.filter(({ createOnUpdate }) => createOnUpdate).map(({ plural }) => plural);
  expect(creating.sort()).toEqual([
    'clusterrolebindings',
    'clusterroles',
    'endpoints',
    'events',
    'events',
    'leases',
    'limitranges',
    'rolebindings',
    'roles',
    'services',
  ]);
});

test('every stored kind can be told from the others', () => {
  const keys = builtinKinds.map(({ group, version, plural }) => `${group}/${version}/${plural}`);
  expect(new Set(keys).size).toBe(keys.length);
});
