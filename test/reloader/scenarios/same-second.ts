/**
 * Created and changed within one second: no time that the API tells orders the two. A change that the operator saw, or
 * that came after the second of its creation, is rolled out; one restart too many is allowed where nobody can tell.
 */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { STAKATER } from '../rbac.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { OperatorOptions } from '../stage.ts';

const KINDS = ['Deployment', 'StatefulSet', 'CronJob', 'DaemonSet'] as const;
const auto = { auto: 'true' };

interface Roles {
  readonly what: string;
  readonly options: OperatorOptions;
}

const ROLES: readonly Roles[] = [
  { what: 'with its own role', options: {} },
  { what: "with the role of Stakater's chart", options: { permissions: STAKATER } },
];

/** A workload with a ConfigMap of its own, which changes as soon as its pods run. */
async function oneTry(s: Scene, number: number): Promise<Ref> {
  const kind = KINDS[number % KINDS.length] ?? 'Deployment';
  const name = `w${number}`;
  await s.configMap(name, { value: 'one' });
  const ref = await s.workload(kind, name, { annotations: auto, uses: [{ configMap: name }] });
  const pause = 10 + ((number * 17) % 50);
  await s.stage.quiet(pause, pause);
  await s.configMap(name, { value: 'two' });
  return ref;
}

const reloads = (s: Scene, ref: Ref): number =>
  ref.kind === 'CronJob' ? s.jobsOf(ref).length : s.rollouts(ref);

async function allReload(s: Scene, refs: readonly Ref[]): Promise<void> {
  const lost = (): string[] =>
    refs.filter((ref) => reloads(s, ref) === 0).map(({ kind, name }) => `${kind}/${name}`);
  await s.stage.until('every change to be rolled out', () => lost().length === 0).catch(() => undefined);
  expect(lost(), 'lost').toEqual([]);
  await s.stage.quiet();
  expect(refs.filter((ref) => reloads(s, ref) > 1).map(({ name }) => name)).toEqual([]);
}

/** `tries`: of each scenario. */
export function sameSecond(tries: number) {
  return ROLES.flatMap(({ what, options }) =>
    [0, 300].map((answerMs) =>
      scenario(
        `rule 6: changed in the second of its creation, ${what}, ${answerMs} ms from the server`,
        async (s) => {
          s.allow.unexplained = true;
          await s.operator({ ...options, answerMs });
          const refs: Ref[] = [];
          for (let number = 0; number < tries; number += 1) refs.push(await oneTry(s, number));
          await allReload(s, refs);
        },
      ),
    ),
  );
}
