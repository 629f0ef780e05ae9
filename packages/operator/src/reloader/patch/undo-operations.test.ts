import { isDeepStrictEqual } from 'node:util';
import type { JsonPatchOperation } from '@reloader/runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import { ownFieldsDigest, ownFieldsOf, ownFieldsOfTemplate } from '../model/own-fields.ts';
import type { Cause, ReloadPlan, UndoPlan } from '../model/plan.ts';
import type { WorkloadKind } from '../model/workload.ts';
import { workloadFacts } from '../project/workload-projection.ts';
import { cause, reloadPlan } from './plan.test.support.ts';
import { reloadOperations } from './reload-operations.ts';
import { undoOperations } from './undo-operations.ts';

type Json = Record<string, unknown>;
interface Variable {
  name: string;
  value: string;
}
interface Workload extends Json {
  metadata: Json;
  spec: {
    template: {
      metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
      spec: { containers: { name: string; env?: Variable[] }[] };
    };
  };
}

const MARK = 'reloader.stakater.com/rolled';

/** Applies a patch like the API server, for existing objects. */
function applied(object: Workload, operations: readonly JsonPatchOperation[]): Workload {
  const copy = structuredClone(object);
  for (const operation of operations) {
    const steps = operation.path.slice(1).split('/').map(unescaped);
    const last = steps.pop() ?? '';
    const parent = steps.reduce<Json>((at, step) => at[step] as Json, copy);
    const value = 'value' in operation ? structuredClone(operation.value) : undefined;
    if (operation.op === 'test') {
      const stands = parent?.[last] ?? null;
      if (!isDeepStrictEqual(stands, value))
        throw new Error(`${operation.path} is ${JSON.stringify(stands)}`);
    } else if (Array.isArray(parent)) {
      const at = last === '-' ? parent.length : Number(last);
      if (at > parent.length) throw new Error(`${operation.path} is beyond the end`);
      const count = operation.op === 'add' ? 0 : 1;
      parent.splice(at, count, ...(operation.op === 'remove' ? [] : [value]));
    } else if (operation.op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return copy;
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

function planFor(object: Workload, kind: WorkloadKind, parts: Partial<ReloadPlan> = {}): ReloadPlan {
  const workload = workloadFacts(object as never, kind, DEFAULT_ANNOTATIONS);
  const ledgerBefore = workload.annotations['reloader.stakater.com/ledger'];
  return reloadPlan({ workload, ledgerBefore, ...parts });
}

/** Drops empty lists and maps, as the API server does for built-in kinds. */
function stored(object: Workload): Workload {
  const { template } = object.spec;
  for (const container of template.spec.containers) if (container.env?.length === 0) delete container.env;
  if (Object.keys(template.metadata.annotations ?? { any: '' }).length === 0) {
    delete template.metadata.annotations;
  }
  return object;
}

const UNDO = { ledgerAfter: 'undone' } as UndoPlan;
const NAMES = ['one', 'two', 'three'];
const variable = fc.oneof(
  fc.constantFrom('HOME', 'PATH', 'MODE').map((name) => ({ name, value: 'theirs' })),
  fc
    .constantFrom(...NAMES)
    .map((name) => ({ name: `STAKATER_${name.toUpperCase()}_CONFIGMAP`, value: 'older' })),
);
const env = fc.uniqueArray(variable, { maxLength: 5, selector: ({ name }) => name });
const causes: fc.Arbitrary<Cause[]> = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom(...NAMES),
      container: fc.constantFrom('app', 'proxy'),
      slot: fc.option(fc.constant('newer'), { nil: undefined, freq: 3 }),
    }),
    { minLength: 1, maxLength: 3, selector: ({ name }) => name },
  )
  .map((list) => list.map((each) => cause(each)));

describe('the patch that undoes a reload', () => {
  it('makes the template what it was, whatever the reload put, replaced or removed', () => {
    fc.assert(
      fc.property(
        env,
        env,
        causes,
        fc.boolean(),
        fc.constantFrom<WorkloadKind>('Deployment', 'Rollout'),
        fc.constantFrom<ReloadPlan['reloadStrategy']>('env-vars', 'annotations'),
        fc.constantFrom<string[]>([], ['shop/config']),
        (app, proxy, changed, hasMark, kind, reloadStrategy, configs) => {
          const before = stored({
            metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', resourceVersion: '1' },
            spec: {
              template: {
                metadata: {
                  labels: { app: 'web' },
                  annotations: { theirs: 'kept', ...(hasMark && { [MARK]: '{"n":1,"s":{}}' }) },
                },
                spec: {
                  containers: [
                    { name: 'app', env: app },
                    { name: 'proxy', env: proxy },
                  ],
                },
              },
            },
          });
          const reload = planFor(before, kind, { causes: changed, reloadStrategy, configs });
          const failed = stored(applied(before, reloadOperations(reload, DEFAULT_ANNOTATIONS)));
          const fields = ownFieldsOfTemplate(before.spec.template);
          expect(ownFieldsDigest(fields)).toBe(ownFieldsDigest(ownFieldsOf(reload.workload)));
          const operations = undoOperations(planFor(failed, kind), UNDO, fields) ?? [];
          const after = applied(failed, operations);
          expect((kind === 'Rollout' ? after : stored(after)).spec).toEqual(before.spec);
          expect(after.metadata.annotations).toEqual({ 'reloader.stakater.com/ledger': 'undone' });
        },
      ),
    );
  });

  it('leaves a workload alone whose containers are no longer those of the revision', () => {
    const object: Workload = {
      metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', resourceVersion: '1' },
      spec: { template: { metadata: { labels: {} }, spec: { containers: [{ name: 'other' }] } } },
    };
    const slot = { container: 'app', containerIndex: 0, envIndex: 0, name: 'STAKATER_A_SECRET', value: '' };
    const fields = { slots: [slot], annotations: {} };
    expect(undoOperations(planFor(object, 'Deployment'), UNDO, fields)).toBeUndefined();
  });
});
