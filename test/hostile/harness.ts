/**
 * Runs and measures every attack, on minicluster and on the real control plane alike.
 *
 * `play` runs one attack: a neighbour is created, the attacker prepares, the operator starts, the attacker strikes.
 * Meanwhile the neighbour changes its Secret again and again. `expectUnharmed` checks the limits: the event loop was
 * never blocked for more than 100 ms, the neighbour never waited longer than 2 s, the memory stayed within the limit of
 * the chart, and the operator still stops on request.
 */
import { join } from 'node:path';
import { startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, kinds, loadConfig } from '@reloader/runtime';
import { expect, onTestFinished } from 'vitest';
import { applyCrds } from '../../packages/operator/src/crds/apply.ts';
import { type Bundle, bundleOperator } from '../kills/bundle.ts';
import { Neighbour } from './neighbour.ts';
import { startVictim, type Victim } from './victim.ts';

export const LONGEST_STALL_MS = 100;
export const LONGEST_ROLLOUT_MS = 2_000;
/** The same in processor time of the operator's main thread, start included. */
export const LONGEST_ROLLOUT_WORK_MS = 3_000;
/** `resources.limits.memory` of the chart. */
export const MEMORY_LIMIT_MB = 256;

/** The cluster that an attack is played on. */
export interface Ground {
  readonly client: Client;
  /** An administrator's kubeconfig: permissions are not part of these tests. */
  readonly kubeconfig: string;
  /** Creates a namespace; resolves with its real name. */
  namespace(name: string): Promise<string>;
  /** The real name of a namespace. */
  nameOf(namespace: string): string;
}

export interface Attack {
  readonly title: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The API server is as busy with the attack as the operator, so that a neighbour waits for both: the work that the
   * operator does meanwhile counts, and not the time.
   */
  readonly keepsServerBusy?: true;
  /** Before the operator starts. */
  prepare?(ground: Ground): Promise<void>;
  /** While the operator runs. Ends when the operator has had to process all of it. */
  strike(ground: Ground, victim: Victim): Promise<void>;
  /** Checks at the end that the attacker has not reached or learned what it must not. */
  judge?(ground: Ground, victim: Victim): Promise<void>;
}

export interface Damage {
  readonly longestStallMs: number;
  readonly slowestNeighbourMs: number;
  /** Processor time that the operator used while the neighbour waited, at most. */
  readonly neighbourWorkMs: number;
  readonly peakMemoryMb: number;
  readonly stopMs: number;
}

/** The program is bundled once for all attacks of a test file. */
export async function bundleVictim(): Promise<Bundle> {
  return bundleOperator();
}

export async function play(attack: Attack, ground: Ground, program: string): Promise<Damage> {
  const own = await ground.namespace('reloader');
  const neighbour = new Neighbour(ground.client, await ground.namespace('neighbour'));
  await neighbour.moveIn();
  await attack.prepare?.(ground);
  const { flags = [], env = {} } = attack;
  const { kubeconfig } = ground;
  const victim = await startVictim({ program, kubeconfig, namespace: own, flags, env });
  // Loading a program takes longer than 100 ms on a slow machine; its first log line follows directly.
  const since = firstLineAt(victim) ?? victim.startedAt;
  const waits: number[] = [];
  let neighbourWorkMs = 0;
  const change = async (): Promise<void> => {
    const before = victim.processorTime();
    waits.push(await neighbour.change());
    neighbourWorkMs = Math.max(neighbourWorkMs, victim.processorTime() - before);
  };
  await change();
  let isOver = false;
  const strike = attack.strike(ground, victim).finally(() => {
    isOver = true;
  });
  // The attack is awaited even if the neighbour fails in between.
  strike.catch(() => undefined);
  do await change();
  while (!isOver);
  await strike;
  await change();
  const peakMemoryMb = victim.peakMemory();
  const longestStallMs = victim.longestStall(since);
  // The judge may cause work of the operator, too.
  await attack.judge?.(ground, victim);
  const stopping = performance.now();
  await victim.stop();
  const stopMs = performance.now() - stopping;
  return { longestStallMs, slowestNeighbourMs: Math.max(...waits), neighbourWorkMs, peakMemoryMb, stopMs };
}

export function expectUnharmed(damage: Damage, { keepsServerBusy }: Pick<Attack, 'keepsServerBusy'>): void {
  const { longestStallMs, slowestNeighbourMs, neighbourWorkMs, peakMemoryMb } = damage;
  const text = JSON.stringify(damage);
  expect(longestStallMs, `the event loop stood still: ${text}`).toBeLessThanOrEqual(LONGEST_STALL_MS);
  if (keepsServerBusy)
    expect(neighbourWorkMs, `a neighbour waited: ${text}`).toBeLessThanOrEqual(LONGEST_ROLLOUT_WORK_MS);
  else expect(slowestNeighbourMs, `a neighbour waited: ${text}`).toBeLessThanOrEqual(LONGEST_ROLLOUT_MS);
  expect(peakMemoryMb, `memory: ${text}`).toBeLessThanOrEqual(MEMORY_LIMIT_MB);
}

/** Each attack gets its own minicluster. */
export async function miniGround(directory: string): Promise<Ground> {
  const cluster = await startMinicluster({ listen: {} });
  onTestFinished(() => cluster.stop());
  const kubeconfig = join(directory, `kubeconfig-${cluster.url?.split(':').at(-1)}`);
  await cluster.writeKubeconfig(kubeconfig);
  return groundAt(kubeconfig, '');
}

/** Its own namespaces on a shared cluster; the test deletes them. */
export async function groundAt(kubeconfig: string, prefix: string): Promise<Ground> {
  const client = createClient({ config: await loadConfig({ kubeconfig }) });
  const made: string[] = [];
  onTestFinished(async () => {
    for (const name of made) await client.delete(kinds.Namespace, { name }).catch(() => undefined);
    await client.close();
  });
  await applyCrds(client);
  return {
    client,
    kubeconfig,
    nameOf: (name) => `${prefix}${name}`,
    async namespace(name) {
      const full = `${prefix}${name}`;
      await client.create(kinds.Namespace, { metadata: { name: full } });
      made.push(full);
      return full;
    },
  };
}

function firstLineAt(victim: Victim): number | undefined {
  const [line = ''] = victim.log().split('\n');
  const { time } = line.startsWith('{') ? (JSON.parse(line) as { time?: string }) : {};
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? undefined : at;
}
