/** Custom resources are decoded and refused as by a real API server (Kubernetes 1.36.3). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { crdSchemaCases } from '../../testdata/schema/crd-schemas.ts';
import { bodyCases, GADGET_SCHEMA } from '../../testdata/schema/gadget.ts';
import {
  RULED_SPEC,
  RULER_BEFORE,
  RULER_SCHEMA,
  ruleCases,
  rulerBodies,
  rulerChanges,
} from '../../testdata/schema/ruler.ts';
import { StatusError } from '../model/status.ts';
import { compileRules, validateRules } from './cel.ts';
import { readCustom } from './custom.ts';
import type { Schema } from './schema.ts';
import { validate, validateCrdSchema } from './structural.ts';
import { unknownFieldWarnings } from './typed.ts';

interface Answer {
  readonly code: number;
  readonly warnings?: string[];
  readonly object?: Record<string, unknown>;
  readonly error?: { message: string; causes?: { field: string; reason: string; message: string }[] };
}

const recorded = JSON.parse(
  readFileSync(new URL('../../testdata/schema/recorded.generated.json', import.meta.url), 'utf8'),
) as Record<'bodies' | 'rules' | 'rulers' | 'changes' | 'crds', Record<string, Answer>>;

const GVK = { group: 'example.org', version: 'v1', kind: 'Gadget' };
const byText = <T>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
const plain = (list: readonly object[] = []): object[] =>
  byText(list.map((each) => Object.fromEntries(Object.entries(each).sort())));

describe('bodies of custom resources', () => {
  it.each(bodyCases)('$name', ({ name, body }) => {
    const answer = recorded.bodies[name] as Answer;
    let read: ReturnType<typeof readCustom>;
    try {
      read = readCustom(body, GVK, GADGET_SCHEMA);
    } catch (error) {
      expect(error).toBeInstanceOf(StatusError);
      expect({ code: (error as StatusError).body.code, message: (error as StatusError).message }).toEqual({
        code: answer.code,
        message: answer.error?.message,
      });
      return;
    }
    const { status: _, ...withoutStatus } = read.object;
    const errors = validate(withoutStatus, GADGET_SCHEMA);
    expect(plain(errors)).toEqual(plain(answer.error?.causes));
    if (!answer.object) return;
    const { metadata: __, ...object } = withoutStatus;
    expect(object).toEqual(answer.object);
    expect(unknownFieldWarnings(read.unknown)).toEqual(answer.warnings ?? []);
  });
});

/** The server keeps a single version's schema here. */
const SCHEMA_PATH = 'spec.validation.openAPIV3Schema';
/** An existing CRD has passed all checks of its schema. */
const causesOf = (answer: Answer): object[] => plain(answer.error?.causes);

describe('schemas of CRDs', () => {
  it.each(crdSchemaCases)('$name', ({ name, schema }) => {
    expect(plain(validateCrdSchema(schema as Schema, SCHEMA_PATH))).toEqual(
      causesOf(recorded.crds[name] as Answer),
    );
  });
});

describe('rules of CRDs', () => {
  it.each(ruleCases.map((rule) => [JSON.stringify(rule), rule] as const))('%s', (name, rule) => {
    const spec = { ...RULED_SPEC, 'x-kubernetes-validations': [rule] };
    const errors = validateCrdSchema({ type: 'object', properties: { spec } }, SCHEMA_PATH);
    expect(plain(errors)).toEqual(causesOf(recorded.rules[name] as Answer));
  });

  const rules = compileRules(RULER_SCHEMA);

  it('compile without errors where the server had none', () => {
    expect(rules.errors).toEqual([]);
    expect(rules.skipped).toEqual([]);
  });

  it.each(rulerBodies)('creation with $name', ({ name, body }) => {
    expect(plain(validateRules(body, undefined, rules))).toEqual(causesOf(recorded.rulers[name] as Answer));
  });

  it.each(rulerChanges.map((change) => [JSON.stringify(change), change] as const))(
    'update to %s',
    (name, change) => {
      const next = { ...RULER_BEFORE, spec: { ...RULER_BEFORE.spec, ...change } };
      expect(plain(validateRules(next, RULER_BEFORE, rules))).toEqual(
        causesOf(recorded.changes[name] as Answer),
      );
    },
  );
});
