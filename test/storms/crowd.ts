/**
 * O2: as many Secrets as workloads, all changed within a second. All workloads are rolled out, each once; with a limit,
 * never more at a time, at any revision of the recorded history.
 */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { ChronicleObject, Version } from '../reloader/chronicle.ts';
import { readLedger } from '../reloader/ledger-view.ts';
import { workload } from '../reloader/objects.ts';
import { rolloutsOf } from '../reloader/rollouts.ts';
import { Scene } from '../reloader/scene.ts';
import { brokenInvariants } from './invariants.ts';
import { Storm } from './storm.ts';
import { changesTemplate } from './template-writes.ts';

export interface Crowd {
  readonly size: number;
  /** `--max-unfinished-rollouts`. */
  readonly cap?: number;
}

const LONGEST_MS = 3_600_000;

export async function changeAllAtOnce({ size, cap }: Crowd): Promise<void> {
  const storm = await Storm.begin({ seed: 1 });
  const scene = new Scene(storm);
  try {
    const names = Array.from({ length: size }, (_, index) => `n${index}`);
    for (const name of names) {
      await scene.secret(name, { value: 'one' });
      const manifest = workload('Deployment', `web-${name}`, scene.namespace, {
        annotations: { auto: 'true' },
        uses: [{ secret: name }],
      });
      await storm.client.create(kinds.Deployment, manifest, { fieldManager: 'user' });
    }
    await storm.quiet(5_000);
    await scene.operator({ args: cap === undefined ? [] : [`--max-unfinished-rollouts=${cap}`] });
    const refs = names.map((name) => scene.ref('Deployment', `web-${name}`));
    const all = (holds: (ref: (typeof refs)[number]) => boolean) => () => refs.every(holds);
    await waitFor(
      storm,
      all((ref) => scene.record(ref) !== undefined),
    );
    for (const name of names) await scene.secret(name, { value: 'two' });
    await waitFor(
      storm,
      all((ref) => scene.record(ref)?.seq === 1 && !isRolling(scene.live(ref))),
    );
    await storm.quiet(30_000);
    expect(refs.filter((ref) => rolloutsOf(storm.chronicle.of(ref)) !== 1)).toEqual([]);
    expect(storm.sent.filter(changesTemplate)).toHaveLength(size);
    const most = mostAtATime(storm);
    // Without a limit they roll together, which shows that the limit is what holds them back.
    if (cap === undefined) expect(most).toBeGreaterThan(size / 2);
    else expect(most).toBeLessThanOrEqual(cap);
    expect(await brokenInvariants(storm)).toEqual([]);
  } finally {
    await storm.end();
  }
}

async function waitFor(storm: Storm, holds: () => boolean): Promise<void> {
  const end = storm.clock.monotonic() + LONGEST_MS;
  while (!holds()) {
    expect(storm.clock.monotonic()).toBeLessThan(end);
    await storm.quiet(1_000);
  }
}

/** Over the whole history, version by version: the number of workloads that were reloaded and not finished. */
function mostAtATime({ chronicle }: Storm): number {
  const versions = chronicle
    .refs('Deployment')
    .flatMap((ref) => chronicle.of(ref) as Version[])
    .sort((one, other) => one.revision - other.revision);
  const rolling = new Set<string>();
  let most = 0;
  for (const { object } of versions) {
    if (readLedger(object)?.seq && isRolling(object)) rolling.add(object.metadata.name);
    else rolling.delete(object.metadata.name);
    most = Math.max(most, rolling.size);
  }
  return most;
}

function isRolling({ metadata, spec, status = {} }: ChronicleObject): boolean {
  const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status;
  if (observedGeneration !== metadata.generation) return true;
  return [replicas, updatedReplicas, availableReplicas].some((count) => count !== spec?.replicas);
}
