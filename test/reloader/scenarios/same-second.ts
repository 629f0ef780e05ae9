/**
 * Sources created and changed within one second: the times in the API do not order the two. A change that the operator
 * saw, or that came after the second of the creation, is rolled out; one extra restart is allowed where the times
 * decide nothing.
 */
import { createRandom } from '@reloader/runtime/testing';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { STAKATER } from '../rbac.ts';
import { type Scenario, scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { OperatorOptions } from '../stage.ts';

const KINDS = ['Deployment', 'StatefulSet', 'CronJob', 'DaemonSet'] as const;
/** Kinds with pods to inspect: a CronJob is not run for a change that the operator did not see. */
const RUNNING = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;
const auto = { auto: 'true' };

interface Role {
  readonly what: string;
  readonly options: OperatorOptions;
  /** The number of tries in each scenario. */
  readonly tries: Tries;
}

export interface Tries {
  /** While the operator runs, over all kinds. */
  readonly running: number;
  /** While it starts. */
  readonly starting: number;
}

const OWN = { what: 'with its own role', options: {} };
const CHART = { what: "with the role of Stakater's chart", options: { permissions: STAKATER } };
const atOnce = ({ what, options }: typeof OWN) => ({
  what: `${what} and --settle=0s`,
  options: { ...options, args: ['--settle=0s'] },
});

/** The number of workloads at a time: in real time the tries can run in parallel. */
const lanesOf = (s: Scene): number => (s.isVirtual ? 1 : 6);

/** Workloads of all kinds, each with its own ConfigMap that changes as soon as the pods run. */
async function changedAtOnce(s: Scene, tries: number): Promise<Ref[]> {
  const random = createRandom(Number(process.env.SEED ?? (s.isVirtual ? 1 : Date.now() % 2 ** 31)));
  const numbers = Array.from({ length: tries }, (_, number) => number);
  const refs: Ref[] = [];
  const lane = async (): Promise<void> => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const offset = random.int(1_000);
      await s.stage.quiet(offset, offset);
      refs.push(await oneTry(s, number, 10 + random.int(50)));
    }
  };
  await Promise.all(Array.from({ length: lanesOf(s) }, lane));
  return refs;
}

async function oneTry(s: Scene, number: number, pause: number): Promise<Ref> {
  const kind = KINDS[number % KINDS.length] ?? 'Deployment';
  const name = `w${number}`;
  await s.configMap(name, { value: 'one' });
  const ref = await s.workload(kind, name, { annotations: auto, uses: [{ configMap: name }] });
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

/** For a change after the second of the creation and before the operator watches, the ages of the pods decide. */
function whileItStarts({ what, options, tries: { starting: tries } }: Role): Scenario {
  return scenario(`rule 6: changed while the operator starts, ${what}, 400 ms from the server`, async (s) => {
    s.allow.unexplained = true;
    // The installation is older than the workloads: those from before it are not restarted.
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

function whileItRuns({ what, options, tries }: Role): Scenario[] {
  return [0, 300].map((answerMs) =>
    scenario(
      `rule 6: changed in the second of its creation, ${what}, ${answerMs} ms from the server`,
      async (s) => {
        s.allow.unexplained = true;
        await s.operator({ ...options, answerMs });
        await allReload(s, await changedAtOnce(s, tries.running));
      },
    ),
  );
}

const playedWith = (roles: readonly Role[]): Scenario[] =>
  roles.flatMap((role) => [whileItStarts(role), ...whileItRuns(role)]);

/** For both roles; the one with fewer permissions has less evidence. */
export function sameSecond({ own, chart }: { readonly own: Tries; readonly chart: Tries }): Scenario[] {
  return playedWith([
    { ...atOnce(OWN), tries: own },
    { ...CHART, tries: chart },
  ]);
}

/** The other pairs of role and settling. */
export function sameSecondOtherwise(tries: Tries): Scenario[] {
  return playedWith([
    { ...OWN, tries },
    { ...atOnce(CHART), tries },
  ]);
}
