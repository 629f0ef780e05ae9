/** A shop with one workload that is opted in and one that is not, an operator, and commands about them. */
import { type Client, kinds } from '@reloader/runtime';
import { onTestFinished } from 'vitest';
import { type Given, type Ran, run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { workload } from '../reloader/objects.ts';
import type { Manifest } from './random-cluster.ts';
import { Stage } from './stage.ts';

export const VALUE = 'correct horse battery staple';
export const secret = { namespace: 'shop', name: 'credentials' };

export interface Play {
  readonly stage: Stage;
  command(...argv: string[]): Promise<Ran>;
  commandAs(client: Client, ...argv: string[]): Promise<Ran>;
  commandWith(given: Given, ...argv: string[]): Promise<Ran>;
  change(value: string): Promise<void>;
}

export async function play(
  flags: readonly string[] = [],
  annotations: Record<string, string> = { auto: 'true' },
): Promise<Play> {
  const stage = await Stage.set({ seed: 1, flags, namespaces: ['shop', 'empty'] });
  onTestFinished(() => stage.close());
  await stage.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: secret,
    stringData: { password: VALUE },
  } as Manifest);
  const uses = [{ secret: 'credentials' }];
  await stage.create(workload('Deployment', 'web', 'shop', { annotations, uses }) as unknown as Manifest);
  await stage.create(workload('Deployment', 'quiet', 'shop', { uses }) as unknown as Manifest);
  await stage.openService();
  await stage.clock.advance(5_000);
  await stage.startOperator();
  await stage.clock.advance(15_000);
  const commandWith = (given: Given, ...argv: string[]): Promise<Ran> =>
    stage.drive(run(argv, { client: stage.client, namespace: 'shop', clock: stage.clock, ...given }));
  return {
    stage,
    commandWith,
    commandAs: (client, ...argv) => commandWith({ client }, ...argv),
    command: (...argv) => commandWith({}, ...argv),
    change: async (value) => {
      await stage.client.patch(kinds.Secret, secret, {
        type: 'merge',
        body: { stringData: { password: value } },
      });
    },
  };
}
