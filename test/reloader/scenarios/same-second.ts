/**
 * Created and changed within one second: no time that the API tells orders the two. A change that the operator saw, or
 * that came after the second of its creation, is rolled out; one restart too many is allowed where nobody can tell.
 */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { STAKATER } from '../rbac.ts';
import { type Scenario, scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { OperatorOptions } from '../stage.ts';

const KINDS = ['Deployment', 'StatefulSet', 'CronJob', 'DaemonSet'] as const;
/** Those with pods to ask: nothing runs a CronJob for a change that nobody saw. */
const RUNNING = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;
const auto = { auto: 'true' };

interface Role {
  readonly what: string;
  readonly options: OperatorOptions;
}

const ROLES: readonly Role[] = [
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

/** What changes after the second of its creation and before the operator watches is decided by the pods. */
function whileItStarts({ what, options }: Role, tries: number): Scenario {
  return scenario(`rule 6: changed while the operator starts, ${what}, 400 ms from the server`, async (s) => {
    s.allow.unexplained = true;
    // The installation is older: of what was there before it, nothing is restarted.
    const first = await s.operator(options);
    await first.stop();
    const refs: Ref[] = [];
    for (let number = 0; number < tries; number += 1) {
      const name = `w${number}`;
      const kind = RUNNING[number % RUNNING.length] ?? 'Deployment';
      await s.configMap(name, { value: 'one' });
      refs.push(await s.workload(kind, name, { annotations: auto, uses: [{ configMap: name }] }));
    }
    await s.stage.quiet(1_000, 1_000);
    const starting = s.operator({ ...options, answerMs: 400, unready: true });
    for (const { name } of refs) {
      await s.stage.quiet(100, 100);
      await s.configMap(name, { value: 'two' });
    }
    await starting;
    await allReload(s, refs);
  });
}

/** `tries`: of each scenario. */
export function sameSecond(tries: number): Scenario[] {
  return ROLES.flatMap((role) => [whileItStarts(role, tries), ...whileItRuns(role, tries)]);
}

function whileItRuns({ what, options }: Role, tries: number): Scenario[] {
  return [0, 300].map((answerMs) =>
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
  );
}
