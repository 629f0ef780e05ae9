/** A reload failed, and the ConfigMap is put back to the last content that worked: once, and against nobody. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { PRODUCT, RESTORING } from '../rbac.ts';
import { type Scenario, scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { OperatorOptions } from '../stage.ts';
import { breaking } from './fragile.ts';
import { type Failed, type FailedOptions, failed, told, undone } from './undoing.ts';

const MINUTES = 60_000;
const uses = [{ configMap: 'settings' }] as const;
const RESTORES: OperatorOptions = { args: ['--restore-config-maps'], permissions: RESTORING };
const RESTORE = { spec: { onFailure: 'restore' } };

const dataOf = (s: Scene, name = 'settings'): unknown =>
  (s.stage.chronicle.now(s.ref('ConfigMap', name)) as { data?: unknown } | undefined)?.data;

const copiesOf = (s: Scene): string[] =>
  s.stage.chronicle
    .all('ConfigMap', s.namespace)
    .filter(({ metadata }) => metadata.labels?.['reloader.stakater.com/kept'] !== undefined)
    .map(({ metadata }) => metadata.name);

/** How often the operator wrote the content of this ConfigMap. */
async function writesTo(s: Scene, name = 'settings'): Promise<number> {
  return (await s.stage.requests()).filter(
    ({ verb, resource, name: of, code }) =>
      verb === 'patch' && resource === 'configmaps' && of === name && code < 300,
  ).length;
}

async function restored(s: Scene, options: FailedOptions = {}): Promise<Failed> {
  s.allow.sourceWrites = true;
  const before = await failed(s, { operator: RESTORES, config: RESTORE.spec, ...options });
  await s.stage.until('the return', () => told(s, before.web, 'ContentRestored').length > 0, MINUTES);
  return before;
}

const KINDS: readonly (readonly [what: string, options: FailedOptions, pods: number])[] = [
  ['a Deployment', {}, 3],
  ['a StatefulSet in order', { kind: 'StatefulSet' }, 3],
  ['a parallel StatefulSet', { kind: 'StatefulSet', spec: { podManagementPolicy: 'Parallel' } }, 3],
  ['a DaemonSet', { kind: 'DaemonSet' }, 1],
];

export const restoring: readonly Scenario[] = [
  ...KINDS.map(([what, options, pods]) =>
    scenario(
      `a reload of ${what} failed: the content before it is put back once, and the undo restarts no pod that survived`,
      async (s) => {
        const before = await restored(s, options);
        await undone(s, before, pods);
        expect(dataOf(s)).toEqual({ mode: 'good' });
        expect(await writesTo(s)).toBe(1);
        expect(copiesOf(s)).toHaveLength(1);
        expect(told(s, before.web, 'ContentRestored')).toEqual([
          expect.stringContaining(
            `ConfigMap ${s.namespace}/settings was put back to the content before reload 1`,
          ),
        ]);
      },
    ),
  ),
];
void [kinds, PRODUCT, uses, breaking, dataOf];

export type { Ref };
