/**
 * What every attack is measured by, on minicluster and on the real control plane alike.
 *
 * `play` runs one attack: a neighbour moves in, the attacker prepares, the operator starts, the attacker strikes. While
 * it does, the neighbour changes its Secret again and again. `expectUnharmed` says what nobody may do to us: the event
 * loop never stood still for more than 100 ms, the neighbour never waited longer than 2 s, the memory stayed within the
 * limit of the chart, and the operator still stops when it is told to.
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
/** `resources.limits.memory` of the chart. */
export const MEMORY_LIMIT_MB = 256;

/** The cluster that an attack is played on. */
export interface Ground {
  readonly client: Client;
  /** Of an administrator: what the operator may do is not the matter here. */
  readonly kubeconfig: string;
  /** Creates one; the name it really has. */
  namespace(name: string): Promise<string>;
  /** The name that it really has. */
  nameOf(namespace: string): string;
}

export interface Attack {
  readonly title: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Before the operator starts. */
  prepare?(ground: Ground): Promise<void>;
  /** While it runs. Ends when the operator has had to deal with all of it. */
  strike(ground: Ground, victim: Victim): Promise<void>;
  /** What the attacker must not have reached or learned, looked at in the end. */
  judge?(ground: Ground, victim: Victim): Promise<void>;
}

export interface Damage {
  readonly longestStallMs: number;
  readonly slowestNeighbourMs: number;
  readonly peakMemoryMb: number;
  readonly stopMs: number;
}

/** The program is made once for all attacks of a test file. */
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
  // Loading a program takes longer than 100 ms on a slow machine; its first line comes right behind that.
  const since = firstLineAt(victim) ?? victim.startedAt;
  const waits = [await neighbour.change()];
  let isOver = false;
  const strike = attack.strike(ground, victim).finally(() => {
    isOver = true;
  });
  // Whatever happens to the neighbour in between, the attack is waited for.
  strike.catch(() => undefined);
  do waits.push(await neighbour.change());
  while (!isOver);
  await strike;
  waits.push(await neighbour.change());
  const peakMemoryMb = victim.peakMemory();
  const longestStallMs = victim.longestStall(since);
  // Looking may cost the operator something, too.
  await attack.judge?.(ground, victim);
  const stopping = performance.now();
  await victim.stop();
  const stopMs = performance.now() - stopping;
  return { longestStallMs, slowestNeighbourMs: Math.max(...waits), peakMemoryMb, stopMs };
}

export function expectUnharmed(damage: Damage): void {
  const { longestStallMs, slowestNeighbourMs, peakMemoryMb } = damage;
  const text = JSON.stringify(damage);
  expect(longestStallMs, `the event loop stood still: ${text}`).toBeLessThanOrEqual(LONGEST_STALL_MS);
  expect(slowestNeighbourMs, `a neighbour waited: ${text}`).toBeLessThanOrEqual(LONGEST_ROLLOUT_MS);
  expect(peakMemoryMb, `memory: ${text}`).toBeLessThanOrEqual(MEMORY_LIMIT_MB);
}

/** A minicluster of its own for each attack. */
export async function miniGround(directory: string): Promise<Ground> {
  const cluster = await startMinicluster({ listen: {} });
  onTestFinished(() => cluster.stop());
  const kubeconfig = join(directory, `kubeconfig-${cluster.url?.split(':').at(-1)}`);
  await cluster.writeKubeconfig(kubeconfig);
  return groundAt(kubeconfig, '');
}

/** Namespaces of its own on a cluster that others use, too; they go with the test. */
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
