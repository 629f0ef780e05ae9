/** Runs a scene in a storm: starts it, plays, checks the invariants, and ends it. */
import { describe, expect, test } from 'vitest';
import type { Scenario } from '../reloader/scenario.ts';
import { Scene } from '../reloader/scene.ts';
import { brokenInvariants } from './invariants.ts';
import { Storm, type StormOptions } from './storm.ts';
import { storyOf } from './story.ts';

export async function inStorm(
  options: StormOptions,
  play: (scene: Scene, storm: Storm) => Promise<void>,
): Promise<void> {
  const storm = await Storm.begin(options);
  const scene = new Scene(storm);
  try {
    await play(scene, storm);
    const broken = await brokenInvariants(storm, scene.allow);
    expect(broken, storyOf(storm)).toEqual([]);
  } finally {
    await storm.end();
  }
}

/** Runs scenarios of either stage, with the additional checks of a storm at the end. */
export function playInStorms(title: string, scenarios: readonly Scenario[]): void {
  describe(title, () => {
    for (const { name, play } of scenarios) {
      test(name, { timeout: 60_000 }, () => inStorm({ seed: 1 }, play));
    }
  });
}
