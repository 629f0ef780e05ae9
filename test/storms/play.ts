/** A storm with a scene in it: begins, plays, looks whether everything held, and ends. */
import { expect } from 'vitest';
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
