/** A scenario: a sentence that a reader of the requirements recognises, and the code that proves it. */
import { Scene } from './scene.ts';
import type { Stage } from './stage.ts';

export interface Scenario {
  readonly name: string;
  /** The stage on which it runs; both unless given. */
  readonly only?: Stage['kind'];
  /**
   * Its operator watches the whole cluster, or it stops parts of the cluster: no other scenario runs at the same time.
   */
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

const MOST_LINES = 60;

/** Runs the scenario, then checks all invariants. */
export async function perform(
  { play }: Scenario,
  stage: Stage,
  check: (scene: Scene) => Promise<void>,
): Promise<void> {
  const scene = new Scene(stage);
  try {
    await play(scene);
    await check(scene);
  } catch (error) {
    // On the real control plane a failure may never come again: the logs are all that there is.
    for (const { namespace, log } of stage.operators) {
      const lines = log.slice(-MOST_LINES).map((line) => JSON.stringify(line));
      console.error(`The end of the log of the operator in ${namespace}:\n${lines.join('\n')}`);
    }
    throw error;
  } finally {
    await stage.end();
  }
}
