/**
 * Asks what would happen, then makes the change, and compares: which workloads were reloaded, in which order, and when.
 * Before that, it explains everything: in a cluster at rest, nothing may be reported as pending.
 */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { WhatIf } from '../../packages/operator/src/api/shapes.ts';
import type { SourceKind } from '../../packages/operator/src/reloader/model/source.ts';
import type { WorkloadKind } from '../../packages/operator/src/reloader/model/workload.ts';
import { readRecord } from '../reloader/records.ts';
import { Dice, type Manifest, NAMESPACES, randomCluster } from './random-cluster.ts';
import { OPERATOR_NAMESPACE, Stage } from './stage.ts';

/** Longer than every settling, window and pause of the random clusters. */
const UNTIL_QUIET_MS = 90_000;
/** The time between the question and the event of the change; and the ledger's times are whole seconds. */
const SLACK_MS = 1_500;
const never = new AbortController().signal;

export interface Outcome {
  readonly reloads: number;
  readonly others: number;
}

/** Runs one seed; throws if the prediction was wrong. */
export async function agree(seed: number): Promise<Outcome> {
  const cluster = randomCluster(seed);
  const stage = await Stage.set({ seed, flags: cluster.flags, namespaces: NAMESPACES });
  try {
    for (const [name, annotations] of Object.entries(cluster.namespaceAnnotations))
      await stage.client.patch(
        kinds.Namespace,
        { name },
        { type: 'merge', body: { metadata: { annotations } } },
      );
    for (const object of [...cluster.sources, ...cluster.configs, ...cluster.workloads])
      await stage.create(object);
    await stage.clock.advance(10_000);
    await stage.startOperator();
    await stage.clock.advance(UNTIL_QUIET_MS);
    await expectRest(stage, cluster.workloads);
    const change = randomChange(new Dice(seed * 31 + 7), cluster.sources);
    const prediction = await stage.operatorView.whatIf(change.ref, change, never);
    const before = await reloadsOf(stage, cluster.workloads);
    const asked = stage.clock.now();
    await make(stage, change);
    await stage.clock.advance(UNTIL_QUIET_MS);
    const after = await reloadsOf(stage, cluster.workloads);
    expectSame(prediction, before, after, asked, cluster.flags);
    await expectExplained(stage, prediction);
    return { reloads: prediction.reloads.length, others: prediction.others.length };
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    await stage.close();
  }
}

interface Change {
  readonly ref: { readonly kind: SourceKind; readonly namespace: string; readonly name: string };
  readonly deleted: boolean;
  readonly keys: readonly string[] | undefined;
  readonly exists: boolean;
}

function randomChange(dice: Dice, sources: readonly Manifest[]): Change {
  const namespace = dice.pick(NAMESPACES);
  const kind = dice.pick(['Secret', 'ConfigMap'] as const);
  const name = dice.pick(['alpha', 'beta', 'alpha-2']);
  const exists = sources.some(
    (source) =>
      source.kind === kind && source.metadata?.namespace === namespace && source.metadata?.name === name,
  );
  const deleted = exists && dice.chance(0.15);
  return {
    ref: { kind, namespace, name },
    deleted,
    keys: exists && dice.chance(0.4) ? ['a'] : undefined,
    exists,
  };
}

async function make(stage: Stage, { ref, deleted, keys, exists }: Change): Promise<void> {
  const { kind, namespace, name } = ref;
  const type = kinds[kind as 'Secret' | 'ConfigMap'];
  if (deleted) return stage.client.delete(type, { namespace, name });
  const data = { a: 'new', ...(keys ? {} : { b: 'new' }) };
  const content = kind === 'Secret' ? { stringData: data } : { data };
  if (exists) {
    await stage.client.patch(type, { namespace, name }, { type: 'merge', body: content });
  } else {
    await stage.create({ apiVersion: 'v1', kind, metadata: { namespace, name }, ...content } as Manifest);
  }
}

interface Reloads {
  readonly seq: number;
  readonly at: number;
}

async function reloadsOf(stage: Stage, workloads: readonly Manifest[]): Promise<Map<string, Reloads>> {
  const found = new Map<string, Reloads>();
  for (const { kind, metadata } of workloads) {
    const key = { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
    const record = await readRecord(stage.client, OPERATOR_NAMESPACE, { kind, ...key });
    found.set(`${kind}/${key.namespace}/${key.name}`, {
      seq: record?.seq ?? 0,
      at: (record?.at ?? 0) * 1000,
    });
  }
  return found;
}

async function expectRest(stage: Stage, workloads: readonly Manifest[]): Promise<void> {
  for (const { kind, metadata } of workloads) {
    const { namespace = '', name = '' } = metadata ?? {};
    const answer = await stage.operatorView.explain({ kind: kind as WorkloadKind, namespace, name }, never);
    const quiet = ['nothing', undefined].includes(answer?.outlook.action);
    expect(quiet, `at rest, ${kind} ${namespace}/${name} is said to ${JSON.stringify(answer?.outlook)}`).toBe(
      true,
    );
  }
}

function expectSame(
  { reloads, others }: WhatIf,
  before: ReadonlyMap<string, Reloads>,
  after: ReadonlyMap<string, Reloads>,
  asked: number,
  flags: readonly string[],
): void {
  const done = [...after].filter(([key, { seq }]) => seq > (before.get(key)?.seq ?? 0));
  const expected = reloads.filter(({ at }) => at !== undefined);
  const names = expected.map(({ workload: { kind, namespace, name } }) => `${kind}/${namespace}/${name}`);
  const story = `flags ${flags.join(' ') || 'none'}; said ${JSON.stringify(reloads)}; others ${JSON.stringify(others)}`;
  expect(done.map(([key]) => key).sort(), story).toEqual([...names].sort());
  const times = new Map(done);
  for (const [index, { at = '' }] of expected.entries()) {
    const actual = times.get(names[index] ?? '')?.at ?? 0;
    const said = Date.parse(at);
    expect(actual, `${names[index]} too early; ${story}`).toBeGreaterThanOrEqual(said - 1_000);
    expect(actual, `${names[index]} too late; ${story}`).toBeLessThanOrEqual(said + SLACK_MS);
    expect(said, story).toBeGreaterThanOrEqual(asked);
  }
}

/** The first reason to wait that has no end time. */
function endless(waits: WhatIf['reloads'][number]['waits']): string | undefined {
  return waits.find(({ until }) => until === undefined)?.why;
}

/** A held reload is explained as pending, with the same reason. */
async function expectExplained(stage: Stage, { reloads }: WhatIf): Promise<void> {
  for (const { workload, at, waits } of reloads) {
    const answer = await stage.operatorView.explain(workload, never);
    const held = at === undefined;
    expect(answer?.outlook.action, `${workload.name} afterwards`).toBe(held ? 'reload' : 'nothing');
    if (held) expect(endless(answer?.outlook.waits ?? [])).toBe(endless(waits));
  }
}
