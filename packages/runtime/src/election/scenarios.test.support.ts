/**
 * The scenarios L1 to L4, one seed each; the fast suite runs some seeds, the long one all. Each throws on a
 * violation.
 */
import { expect } from 'vitest';
import type { Random } from '../testing/random.ts';
import { Cluster, overlaps } from './simulation.test.support.ts';

/** The documented bounds: lease duration plus two retry periods with jitter, or the latter alone. */
const FAILOVER_MS = 19_400;
const HANDOVER_MS = 4_400;

/** L1: the leader is cut off from the API server for 0 to 60 s, then a leader shuts down cleanly. */
export async function partitionedLeader(random: Random): Promise<void> {
  const cluster = new Cluster({ random });
  await cluster.nextLeader(10_000);
  await cluster.clock.advance(cluster.random() * 20_000);
  const { leader, elections } = cluster;
  const length = cluster.random() * 60_000;
  cluster.cut(leader);
  const before = elections.length;
  const began = cluster.clock.monotonic();
  await cluster.clock.advance(length);
  leader.link.down = false;
  await cluster.clock.advance(25_000);
  const next = elections[before];
  if (length > FAILOVER_MS || next) {
    expect(next, 'somebody else leads').toBeDefined();
    expect((next?.at ?? Infinity) - began, 'failover in ms').toBeLessThanOrEqual(FAILOVER_MS);
  }
  await handOver(cluster);
  expect(overlaps(cluster.writes)).toEqual([]);
  expect(cluster.writes.length).toBeGreaterThan(5);
}

async function handOver(cluster: Cluster): Promise<void> {
  const { leader } = cluster;
  leader.stop.abort();
  await cluster.clock.settle();
  void leader.elector.release();
  expect(await cluster.nextLeader(60_000), 'handover in ms').toBeLessThanOrEqual(HANDOVER_MS);
  await cluster.clock.advance(3_000);
}

/** L2: the leader's machine pauses for 1 to 40 s, repeatedly. */
export async function pausedLeader(random: Random): Promise<void> {
  const cluster = new Cluster({ random, workPauseMs: 300 });
  await cluster.nextLeader(10_000);
  for (let round = 0; round < 3; round++) {
    await cluster.clock.advance(3_000 + cluster.random() * 5_000);
    const { leader } = cluster;
    const { elector, lost } = leader;
    const length = 1_000 + cluster.random() * 39_000;
    leader.clock.pause();
    await cluster.clock.advance(length);
    const sent = cluster.writes.length;
    const deadline = (cluster.renewedAt.get(elector.identity) ?? 0) + 10_000;
    leader.clock.resume();
    await cluster.clock.settle();
    if (cluster.clock.monotonic() >= deadline) {
      const late = cluster.writes.slice(sent).filter((write) => write.replica === elector.identity);
      expect(late, 'writes at the moment of waking up').toEqual([]);
    }
    await cluster.clock.advance(200);
    // A pause longer than the Lease always loses it; up to 10 s less, the last renewal decides.
    if (length >= 15_000) expect(leader.lost, 'the process ended').toBe(lost + 1);
    if (length < 7_000) expect(leader.lost, 'the process went on').toBe(lost);
    await cluster.clock.advance(20_000);
  }
  expect(overlaps(cluster.writes)).toEqual([]);
}

/** L3: clock rates differ by up to half, and the leader is cut off. */
export async function skewedClocks(random: Random): Promise<void> {
  // At exactly 1.5 there would be no margin for requests on the wire.
  const spread = Array.from(
    { length: 3 },
    (_, index) => 1 + (((random.seed * 7 + index * 3) % 11) / 10) * 0.49,
  );
  const cluster = new Cluster({ random, rates: spread, workPauseMs: 50 });
  await cluster.nextLeader(10_000);
  for (let round = 0; round < 2; round++) {
    await cluster.clock.advance(cluster.random() * 10_000);
    const { leader } = cluster;
    cluster.cut(leader);
    await cluster.clock.advance(8_000 + cluster.random() * 20_000);
    leader.link.down = false;
    await cluster.clock.advance(15_000);
  }
  expect(overlaps(cluster.writes)).toEqual([]);
}

/**
 * L4: every Lease request takes 9 s, before or after it is carried out; the leader keeps the Lease and keeps working.
 */
export async function slowApi(random: Random): Promise<void> {
  const cluster = new Cluster({ random, workPauseMs: 100 });
  await cluster.nextLeader(10_000);
  await cluster.clock.advance(5_000);
  const there = cluster.random() < 0.5 ? 9_000 : 0;
  for (const { link } of cluster.replicas) link.leaseDelay = { there, back: 9_000 - there };
  const written = cluster.writes.length;
  await cluster.clock.advance(300_000);
  expect(cluster.elections, 'elections').toHaveLength(1);
  expect(
    cluster.replicas.reduce((sum, { lost }) => sum + lost, 0),
    'leases lost',
  ).toBe(0);
  expect(cluster.writes.length - written, 'writes meanwhile').toBeGreaterThan(100);
}
