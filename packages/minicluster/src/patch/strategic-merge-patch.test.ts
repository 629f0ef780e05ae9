/** Properties of every strategic merge patch; single cases are in `recorded.test.ts`. */
import { describe, expect, it } from 'vitest';
import { container, deployment } from '../../testdata/patch/case.ts';
import { strategicScenarios } from '../../testdata/patch/strategic.ts';
import { StatusError } from '../model/status.ts';
import { schemaFor } from '../schema/definitions.ts';
import type { JsonRecord } from '../schema/json.ts';
import type { Schema } from '../schema/schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const schema = schemaFor({ group: 'apps', version: 'v1', kind: 'Deployment' }) as Schema;

describe('applyStrategicMergePatch', () => {
  it.each(strategicScenarios.filter(({ kind }) => kind === 'Deployment'))(
    'changes neither object nor patch: $name',
    ({ steps }) => {
      const [object, patch] = steps.map(({ body }) => body as JsonRecord) as [JsonRecord, JsonRecord];
      const before = structuredClone({ object, patch });
      try {
        applyStrategicMergePatch(object, patch, schema);
      } catch (error) {
        expect(error).toBeInstanceOf(StatusError);
      }
      expect({ object, patch }).toEqual(before);
    },
  );

  it('shares what the patch does not name', () => {
    const object = deployment([container('a'), container('b')]) as {
      spec: { selector: object };
    } & JsonRecord;
    const patch = { spec: { template: { spec: { containers: [{ name: 'b', image: 'x' }] } } } };
    const result = applyStrategicMergePatch(object, patch, schema) as typeof object;
    expect(result.spec.selector).toBe(object.spec.selector);
    expect(result.metadata).toBe(object.metadata);
  });

  it('takes `__proto__` for a key like any other', () => {
    const patch = JSON.parse(
      '{"metadata":{"labels":{"__proto__":"x"}},"__proto__":{"polluted":true}}',
    ) as JsonRecord;
    const result = applyStrategicMergePatch(deployment([]) as JsonRecord, patch, schema);
    expect(JSON.stringify(result)).toContain('"__proto__":"x"');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('refuses a patch that is nested too deeply', () => {
    let patch: JsonRecord = {};
    for (let i = 0; i < 5000; i++) patch = { a: patch };
    expect(() => applyStrategicMergePatch({}, patch, schema)).toThrow(StatusError);
  });
});
