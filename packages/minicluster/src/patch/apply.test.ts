/** Properties of every server-side apply; single cases are in `recorded.test.ts`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WIDGET_CRD } from '../../testdata/patch/case.ts';
import type { ManagedFields } from '../model/object.ts';
import { customResourceSchema } from '../schema/definitions.ts';
import { deepEqual, type JsonRecord } from '../schema/json.ts';
import type { Schema } from '../schema/schema.ts';
import { serverSideApply } from './apply.ts';
import { difference, type FieldSet, intersection } from './field-set.ts';
import { fieldType } from './field-type.ts';
import { decodeFieldsV1 } from './fields-v1.ts';
import { trackUpdate } from './managed-fields.ts';
import { compare } from './typed-compare.ts';
import { fieldSetOf } from './typed-fields.ts';

const schema = customResourceSchema(WIDGET_CRD.spec.versions[0].schema.openAPIV3Schema as unknown as Schema);
const gvk = { group: 'example.org', version: 'v1', kind: 'Widget' };
const TIME = '2026-01-01T00:00:00Z';

const word = fc.constantFrom('a', 'b', 'c');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const part = fc.record(
  { name: word, side: fc.constantFrom('left', 'right'), count: fc.nat({ max: 2 }), note: word },
  { requiredKeys: ['name', 'side'] },
);
const spec = fc
  .record({
    size: optional(fc.nat({ max: 2 })),
    tags: optional(fc.uniqueArray(word)),
    plain: optional(fc.array(word, { maxLength: 2 })),
    parts: optional(fc.uniqueArray(part, { selector: ({ name, side }) => name + side, maxLength: 3 })),
    frozen: optional(fc.record({ a: word, b: word }, { requiredKeys: [] })),
    labels: optional(fc.dictionary(word, word, { maxKeys: 3 })),
    free: optional(fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 })),
  })
  .map((fields) => JSON.parse(JSON.stringify(fields)) as JsonRecord);

const widget = (fields: JsonRecord): JsonRecord => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name: 'subject' },
  spec: fields,
});

function apply(live: JsonRecord | undefined, manager: string, fields: JsonRecord, force = true): JsonRecord {
  const writer = { manager, apiVersion: 'example.org/v1', time: TIME };
  return serverSideApply({ live, applied: widget(fields), gvk, schema, writer, force });
}

function update(live: JsonRecord, manager: string, fields: JsonRecord): JsonRecord {
  const next: JsonRecord = { ...live, spec: fields };
  const managedFields = trackUpdate(live, next, schema, {
    manager,
    apiVersion: 'example.org/v1',
    time: TIME,
  });
  const { managedFields: _, ...metadata } = next.metadata as JsonRecord;
  return { ...next, metadata: { ...metadata, ...(managedFields && { managedFields }) } };
}

const entries = (object: JsonRecord): ManagedFields[] =>
  (object.metadata as { managedFields?: ManagedFields[] }).managedFields ?? [];

function ownedBy(object: JsonRecord, manager: string): FieldSet {
  const entry = entries(object).find((each) => each.manager === manager);
  return entry ? decodeFieldsV1(entry.fieldsV1) : new Map();
}

const step = fc.record({ manager: fc.constantFrom('one', 'two', 'three'), spec, isUpdate: fc.boolean() });

/** An object with a history of applies and updates. */
function history(
  steps: readonly { manager: string; spec: JsonRecord; isUpdate: boolean }[],
): JsonRecord | undefined {
  let object: JsonRecord | undefined;
  for (const { manager, spec: fields, isUpdate } of steps) {
    object =
      isUpdate && object ? update(object, `${manager}-updater`, fields) : apply(object, manager, fields);
  }
  return object;
}

const steps = fc.array(step, { maxLength: 5 });

describe('server-side apply', () => {
  it('a second time changes nothing and returns the object itself', () => {
    fc.assert(
      fc.property(steps, spec, (before, fields) => {
        const once = apply(history(before), 'me', fields);
        expect(apply(once, 'me', fields)).toBe(once);
        expect(apply(once, 'me', fields, false)).toBe(once);
      }),
    );
  });

  it('makes the object contain what was applied', () => {
    fc.assert(
      fc.property(steps, spec, (before, fields) => {
        const result = apply(history(before), 'me', fields);
        const type = fieldType(schema);
        const { modified, removed } = compare(widget(fields), result, type);
        const missing = intersection(fieldSetOf(widget(fields), type), removed);
        expect({ missing: missing.size, modified: modified.size }).toEqual({ missing: 0, modified: 0 });
      }),
    );
  });

  it('restores the object when everything that was applied is let go of', () => {
    fc.assert(
      fc.property(steps, spec, (before, fields) => {
        const original = history(before);
        fc.pre(original !== undefined);
        // The applier cannot remove fields of others: apply only new ones.
        const added = Object.fromEntries(
          Object.entries(fields).filter(([key]) => !Object.hasOwn((original?.spec ?? {}) as object, key)),
        );
        const applied = apply(original, 'me', added);
        const released = apply(applied, 'me', {});
        expect(deepEqual(withoutEmpty(released.spec), withoutEmpty(original?.spec))).toBe(true);
      }),
    );
  });

  it('leaves no field that was changed to its former owners', () => {
    fc.assert(
      fc.property(steps, spec, (before, fields) => {
        const original = history(before);
        fc.pre(original !== undefined);
        const result = apply(original, 'me', fields);
        const { added, modified } = compare(original, result, fieldType(schema));
        for (const { manager } of entries(result)) {
          if (manager === 'me' || manager === undefined) continue;
          const stolen = intersection(ownedBy(result, manager), modified);
          expect(difference(stolen, added).size).toBe(0);
        }
      }),
    );
  });

  it('without force, either conflicts or takes nothing from anybody', () => {
    fc.assert(
      fc.property(steps, spec, (before, fields) => {
        const original = history(before);
        fc.pre(original !== undefined);
        let result: JsonRecord;
        try {
          result = apply(original, 'me', fields, false);
        } catch (error) {
          expect(error).toMatchObject({ body: { code: 409, reason: 'Conflict' } });
          return;
        }
        expect(deepEqual(result, apply(original, 'me', fields, true))).toBe(true);
      }),
    );
  });

  it('changes neither the live object nor the configuration', () => {
    fc.assert(
      fc.property(steps, spec, (before, fields) => {
        const original = history(before);
        const copies = structuredClone({ original, fields });
        apply(original, 'me', fields);
        expect({ original, fields }).toEqual(copies);
      }),
    );
  });
});

describe('an update', () => {
  it('leaves every field with at most one updater', () => {
    fc.assert(
      fc.property(steps, spec, (before, fields) => {
        const original = history(before);
        fc.pre(original !== undefined);
        const updaters = entries(update(original as JsonRecord, 'me', fields)).filter(
          ({ operation }) => operation === 'Update',
        );
        updaters.forEach((a, i) => {
          for (const b of updaters.slice(i + 1)) {
            expect(intersection(decodeFieldsV1(a.fieldsV1), decodeFieldsV1(b.fieldsV1)).size).toBe(0);
          }
        });
      }),
    );
  });

  it('that changes nothing returns the entries that were there', () => {
    fc.assert(
      fc.property(steps, (before) => {
        const original = history(before);
        fc.pre(original !== undefined && entries(original).length > 0);
        const writer = { manager: 'me', apiVersion: 'example.org/v1', time: TIME };
        expect(trackUpdate(original, structuredClone(original as JsonRecord), schema, writer)).toEqual(
          entries(original as JsonRecord),
        );
        expect(trackUpdate(original, { ...(original as JsonRecord) }, schema, writer)).toBe(
          entries(original as JsonRecord),
        );
      }),
    );
  });
});

/** Emptied maps and lists may stay as null: decoding the object drops them. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const rest = Object.entries(value).filter(
    ([, child]) => child !== null && !(typeof child === 'object' && Object.keys(child).length === 0),
  );
  return Object.fromEntries(rest.map(([key, child]) => [key, withoutEmpty(child)]));
}
