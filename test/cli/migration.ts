/**
 * Replaces annotations by the ReloaderConfigs that `migrate` writes, and compares the effect of a change of every
 * source before and after. The migration itself may restart nothing.
 */
import { expect } from 'vitest';
import type { WhatIf } from '../../packages/operator/src/api/shapes.ts';
import { migrate } from '../../packages/operator/src/migrate/migrate.ts';
import { DEFAULT_ANNOTATIONS } from '../../packages/operator/src/reloader/model/annotations.ts';
import { WORKLOAD_TYPES } from '../../packages/operator/src/reloader/model/kinds.ts';
import type { WorkloadKind } from '../../packages/operator/src/reloader/model/workload.ts';
import { workloadFacts } from '../../packages/operator/src/reloader/project/workload-projection.ts';
import { Dice, type Manifest, NAMESPACES, randomSources, randomWorkloads } from './random-cluster.ts';
import { Stage } from './stage.ts';

const never = new AbortController().signal;
const NAMES = ['alpha', 'beta', 'alpha-2', 'gamma'];

export interface Migrations {
  readonly workloads: number;
  readonly migrated: number;
  readonly stayed: number;
}

export async function migrateCluster(
  seed: number,
  count: number,
  flags: readonly string[],
): Promise<Migrations> {
  const dice = new Dice(seed);
  const stage = await Stage.set({ seed, flags, namespaces: NAMESPACES });
  try {
    const workloads = randomWorkloads(dice, count, 0.08);
    for (const object of [...randomSources(dice), ...workloads]) await stage.create(object);
    await stage.clock.advance(10_000);
    await stage.startOperator();
    await stage.clock.advance(60_000);
    const before = await predictions(stage);
    const { migrated, stayed } = await replaceAnnotations(stage, workloads, flags);
    await stage.clock.advance(60_000);
    expect(await predictions(stage), `seed ${seed}`).toEqual(before);
    expect(stage.operatorView.history()).toEqual([]);
    return { workloads: count, migrated, stayed };
  } finally {
    await stage.close();
  }
}

/** For each source: which workloads would restart, how long after the change, and held by which reason. */
async function predictions(stage: Stage): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const namespace of NAMESPACES) {
    for (const kind of ['Secret', 'ConfigMap'] as const) {
      for (const name of NAMES) {
        const asked = stage.clock.now();
        const answer = await stage.operatorView.whatIf({ kind, namespace, name }, {}, never);
        found[`${kind} ${namespace}/${name}`] = answer.reloads
          .map((reload) => essence(reload, asked))
          .sort(byText);
      }
    }
  }
  return found;
}

function essence({ workload, at, waits, how }: WhatIf['reloads'][number], asked: number) {
  const after = at === undefined ? 'held' : `${Date.parse(at) - asked} ms`;
  return `${workload.kind} ${workload.namespace}/${workload.name} ${after} ${waits.map(({ why }) => why).join(',')} ${how}`;
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

async function replaceAnnotations(
  stage: Stage,
  workloads: readonly Manifest[],
  flags: readonly string[],
): Promise<{ migrated: number; stayed: number }> {
  const settings = {
    names: DEFAULT_ANNOTATIONS,
    cronJobStrategy: flags.includes('--cronjob-strategy=run') ? 'run' : 'next-run',
  } as const;
  const taken: (() => Promise<unknown>)[] = [];
  let stayed = 0;
  for (const { kind, metadata } of workloads) {
    const type = WORKLOAD_TYPES[kind as WorkloadKind];
    const key = { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
    const object = await stage.client.get(type, key);
    const migration = migrate(workloadFacts(object, kind as WorkloadKind, DEFAULT_ANNOTATIONS), settings);
    if (migration.kind === 'stays') stayed += 1;
    // Removing an annotation from a template is a rollout: those workloads are left out.
    if (migration.kind !== 'migrated' || migration.migrated.from === 'template') continue;
    await stage.create(migration.migrated.config as Manifest);
    const annotations = Object.fromEntries(migration.migrated.replaces.map((name) => [name, null]));
    taken.push(() => stage.client.patch(type, key, { type: 'merge', body: { metadata: { annotations } } }));
  }
  await stage.clock.advance(5_000);
  for (const takeOff of taken) await takeOff();
  return { migrated: taken.length, stayed };
}
