/** A scenario is a sentence that a reader of the requirements recognises, and what makes it true or not. */
import { Scene } from './scene.ts';
import type { Stage } from './stage.ts';

export interface Scenario {
  readonly name: string;
  /** Where it plays; both unless given. */
  readonly only?: Stage['kind'];
  /** Its operator works in the whole cluster, or it stops parts of it: nothing else plays at the same time. */
  readonly alone?: boolean;
  play(scene: Scene): Promise<void>;
}

export function scenario(
  name: string,
  play: (scene: Scene) => Promise<void>,
  options: Pick<Scenario, 'only' | 'alone'> = {},
): Scenario {
  return { name, play, ...options };
}

/** Plays it and then looks whether all that must always hold did hold. */
export async function perform(
  { play }: Scenario,
  stage: Stage,
  check: (scene: Scene) => Promise<void>,
): Promise<void> {
  const scene = new Scene(stage);
  try {
    await play(scene);
    await check(scene);
  } finally {
    await stage.end();
  }
}
