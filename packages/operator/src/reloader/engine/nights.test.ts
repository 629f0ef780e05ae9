/**
 * 500 workloads with a change each, ten rollouts at a time, a window of half an hour a night, and a change of leader in
 * the middle of the second: the oldest change always goes first, and after three nights no workload waits any more.
 */
import { systemClock } from '@reloader/runtime';
import { expect, it } from 'vitest';
import type { ParsedNote } from '../ledger/note.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { NO_PODS_SEEN } from '../model/following.ts';
import type { Note } from '../model/ledger.ts';
import type { ReloadPlan } from '../model/plan.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { PipelineReporter } from '../report/reporter.ts';
import {
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from '../want/world.test.support.ts';
import { Engine } from './engine.ts';

const WORKLOADS = 500;
const CAP = 10;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 10, 16, 12);
const ROLLOUT_MS = 75_000;
const WINDOW = JSON.stringify([{ schedule: '0 2 * * *', duration: '30m' }]);
const never = new AbortController().signal;
const quiet = new Proxy({} as PipelineReporter, { get: () => () => undefined });

const digestOf = (content: number): string => String(content).padStart(22, 'd');

/** The cluster and its clock; they outlive the engines. */
class Nights {
  readonly clock = { ...systemClock, now: () => this.#now, monotonic: () => this.#now };
  #now = NOON;
  readonly begun: { readonly key: string; readonly at: number; readonly since: number }[] = [];
  readonly pending = new Map<string, number>();
  readonly running = new Set<string>();
  most = 0;
  passes = 0;
  readonly #workloads = new Map<string, WorkloadFacts>();
  readonly #contents = new Map<string, { readonly content: number; readonly at: number }>();
  readonly #notes = new Map<string, Note>();
  /** The scheduled actions: passes, edits, ends of rollouts. */
  readonly #agenda: { readonly at: number; readonly run: () => Promise<void> | void }[] = [];
  /** The next pass of each workload: the earliest requested time, as in the queue. */
  readonly #due = new Map<string, number>();
  #engine: Engine;

  constructor() {
    for (let index = 0; index < WORKLOADS; index += 1) {
      const name = `w-${String(index).padStart(3, '0')}`;
      const workload = workloadFacts({
        name,
        uid: `uid-${name}`,
        annotations: { 'reloader.stakater.com/auto': 'true' },
        podSpec: usingPodSpec({ kind: 'Secret', name }),
      });
      this.#workloads.set(workloadKey(refOf(workload)), workload);
      this.#contents.set(name, { content: 0, at: NOON - DAY });
    }
    this.#engine = this.#newEngine();
    this.#lookAtAll();
  }

  get keys(): string[] {
    return [...this.#workloads.keys()];
  }

  edit(key: string, at: number): void {
    this.#at(at, () => {
      const { name } = this.#facts(key).metadata;
      this.#contents.set(name, { content: (this.#contents.get(name)?.content ?? 0) + 1, at });
      if (!this.pending.has(key)) this.pending.set(key, at);
      this.#wake(key);
    });
  }

  /** The leader crashes and loses its memory. */
  fail(at: number): void {
    this.#at(at, () => {
      this.#engine = this.#newEngine();
      this.#due.clear();
      this.#lookAtAll();
    });
  }

  async runUntil(end: number): Promise<void> {
    for (;;) {
      let first = 0;
      for (let index = 1; index < this.#agenda.length; index += 1) {
        if ((this.#agenda[index]?.at ?? 0) < (this.#agenda[first]?.at ?? 0)) first = index;
      }
      const next = this.#agenda[first];
      if (!next || next.at > end) return;
      this.#agenda.splice(first, 1);
      this.#now = Math.max(this.#now, next.at);
      await next.run();
    }
  }

  #facts(key: string): WorkloadFacts {
    const facts = this.#workloads.get(key);
    if (!facts) throw new Error(`no workload ${key}`);
    return facts;
  }

  #at(at: number, run: () => Promise<void> | void): void {
    this.#agenda.push({ at, run });
  }

  #lookAtAll(): void {
    for (const key of this.keys) this.#wake(key);
  }

  #wake(key: string, at = this.clock.now()): void {
    if ((this.#due.get(key) ?? Number.POSITIVE_INFINITY) <= at) return;
    this.#due.set(key, at);
    this.#at(at, async () => {
      if (this.#due.get(key) !== at) return;
      this.#due.delete(key);
      this.passes += 1;
      const [kind, namespace, name] = key.split('/') as [WorkloadRef['kind'], string, string];
      const { requeue, requeueAfterMs } = await this.#engine.reconcile({ kind, namespace, name }, never);
      if (requeue || requeueAfterMs !== undefined) this.#wake(key, this.clock.now() + (requeueAfterMs ?? 1));
    });
  }

  async #reload({ workload, ledgerAfter, mark }: ReloadPlan) {
    const key = workloadKey(refOf(workload));
    this.begun.push({ key, at: this.#now, since: this.pending.get(key) ?? Number.NaN });
    this.pending.delete(key);
    this.running.add(key);
    this.most = Math.max(this.most, this.running.size);
    const version = String(Number(workload.metadata.resourceVersion) + 1);
    const rolled = {
      ...workload,
      metadata: { ...workload.metadata, resourceVersion: version },
      annotations: { ...workload.annotations, [FIXED_ANNOTATIONS.ledger]: ledgerAfter },
      templateAnnotations: { [FIXED_ANNOTATIONS.rolled]: mark },
      templateWrittenAt: 0,
      rollout: { ...workload.rollout, wanted: 1, total: 1, updated: 0 },
    };
    this.#workloads.set(key, rolled);
    this.#at(this.clock.now() + ROLLOUT_MS, () => {
      this.running.delete(key);
      this.#workloads.set(key, { ...rolled, rollout: { ...rolled.rollout, updated: 1 } });
      this.#wake(key);
    });
    return { kind: 'done', changed: true } as const;
  }

  #newEngine(): Engine {
    const settings = defaultSettings({ settleMs: 0, maxUnfinishedRollouts: CAP });
    const still = fakeWorld({
      namespaces: [
        namespaceFacts(),
        namespaceFacts({ name: 'reloader', annotations: { [FIXED_ANNOTATIONS.syncWindows]: WINDOW } }),
      ],
    });
    const world: World = {
      ...still,
      workload: (ref) => this.#workloads.get(workloadKey(ref)),
      source: ({ name }) => {
        const { content, at } = this.#contents.get(name) ?? { content: 0, at: 0 };
        const facts = { kind: 'Secret', name, digest: digestOf(content), writtenAt: at / 1000 } as const;
        return fakeWorld({ sources: [sourceFacts(facts)] }).source({
          kind: 'Secret',
          namespace: 'shop',
          name,
        });
      },
    };
    return new Engine({
      world,
      settings,
      install: { at: NOON / 1000 - 100, keyId: 'key1' },
      expected: () => this.#workloads.keys(),
      executor: {
        reload: (plan) => this.#reload(plan),
        evictStuckPods: async () => undefined,
        resumeAt: () => undefined,
        resume: async () => ({ kind: 'done', changed: false }),
        hasInterruptedJobs: false,
        finishInterruptedJobs: async () => ({ finished: 0, pending: 0 }),
      },
      keeper: { restore: async () => ({ kind: 'conflict' }), keep: async () => undefined },
      noteStored: async () => undefined,
      notebook: {
        note: (ref): ParsedNote => {
          const note = this.#notes.get(workloadKey(ref));
          return note ? { kind: 'note', note } : { kind: 'absent' };
        },
        put: (ref, note) => void this.#notes.set(workloadKey(ref), note),
        forget: () => undefined,
      },
      lookAtPods: async () => ({ readSince: [NOON / 1000 - 50] }),
      refreshListed: () => undefined,
      verdictOn: () => undefined,
      checkContents: async () => undefined,
      lookAtRollout: async () => NO_PODS_SEEN,
      workloads: () => this.#workloads.values(),
      reporter: quiet,
      clock: this.clock,
      wake: (key) => this.#wake(key),
    });
  }
}

it('the oldest goes first, ten at a time, across a change of leader, and no workload starves', {
  timeout: 120_000,
}, async () => {
  const nights = new Nights();
  await nights.runUntil(NOON);
  // Not in the order of their names: a stride that visits each key once.
  const keys = nights.keys.map((_, index, all) => all[(index * 173) % all.length] ?? '');
  for (const [index, key] of keys.entries()) nights.edit(key, NOON + MINUTE + index * 10_000);
  nights.fail(NOON + 14 * HOUR + DAY + 7 * MINUTE);
  await nights.runUntil(NOON + DAY);
  const firstNight = nights.begun.length;
  // Sources of reloaded workloads change again: these workloads go to the end of the line.
  for (const { key } of nights.begun.slice(0, 50)) nights.edit(key, NOON + DAY + HOUR);
  await nights.runUntil(NOON + 3 * DAY);

  expect(nights.most).toBe(CAP);
  expect(firstNight).toBeGreaterThan(200);
  expect(firstNight).toBeLessThan(WORKLOADS);
  // Rollouts that start at the same time may be in any order.
  const ages = nights.begun.toSorted((a, b) => a.at - b.at || a.since - b.since).map(({ since }) => since);
  expect(ages, 'the oldest first').toEqual(ages.toSorted((a, b) => a - b));
  expect([...nights.pending.keys()], 'still waiting').toEqual([]);
  expect(nights.begun).toHaveLength(WORKLOADS + 50);
});
