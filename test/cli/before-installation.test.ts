/** Commands before there is an operator, and about mistyped names. */
import { expect, onTestFinished, test } from 'vitest';
import { type Ran, run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { workload } from '../reloader/objects.ts';
import type { Manifest } from './random-cluster.ts';
import { Stage } from './stage.ts';

const P = 'reloader.stakater.com';

async function shop(annotations: Record<string, string>): Promise<{
  stage: Stage;
  ask(...argv: string[]): Promise<Ran>;
}> {
  const stage = await Stage.set({ seed: 1, flags: [], namespaces: ['shop'] });
  onTestFinished(() => stage.close());
  for (const name of ['creds', 'other'])
    await stage.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'shop', name },
      stringData: { password: name },
    } as Manifest);
  const uses = [{ secret: 'creds' }];
  await stage.create(workload('Deployment', 'web', 'shop', { annotations, uses }) as unknown as Manifest);
  await stage.create(workload('Deployment', 'quiet', 'shop', { uses }) as unknown as Manifest);
  await stage.clock.advance(5_000);
  return {
    stage,
    ask: (...argv) => stage.drive(run(argv, { client: stage.client, namespace: 'shop', clock: stage.clock })),
  };
}

const notesOf = ({ out }: Ran): string[] => out.split('\n').filter((line) => line.startsWith('Note: '));

test('what-if tells what would restart after installing, and that it is so', async () => {
  const { stage, ask } = await shop({ auto: 'true' });
  const before = await ask('what-if', 'secret/creds');
  expect(before.out).toContain(
    'After installing the operator, if Secret shop/creds were changed, 1 workload would restart',
  );
  expect(before.out).toContain('deployment/web');
  expect(notesOf(before)).toEqual([
    'Note: The operator is not installed: this is what it would do, with its default flags',
  ]);
  // With the operator installed, the answer is the same.
  await stage.openService();
  await stage.startOperator();
  await stage.clock.advance(10_000);
  const after = JSON.parse((await ask('what-if', 'secret/creds', '-o', 'json')).out);
  expect(after.reloads.map(({ workload: each }: { workload: { name: string } }) => each.name)).toEqual([
    'web',
  ]);
  expect(after.answeredBy).toBe('Service reloader/reloader');
});

test('explain before installing is about the first sight, which restarts nothing', async () => {
  const { ask } = await shop({ auto: 'true' });
  const { out } = await ask('explain', 'deployment/web');
  expect(out).toContain('it is seen for the first time: what is there counts as rolled out');
  expect(out).not.toContain('not yours to read');
});

test.each([['explain', 'deployment/web'] as const, ['what-if', 'secret/creds'] as const])(
  '%s %s has at most two notes where the operator does not answer',
  async (...argv) => {
    const { stage, ask } = await shop({ auto: 'true' });
    await stage.openService();
    await stage.startOperator();
    await stage.clock.advance(10_000);
    await stage.stopOperator();
    const notes = notesOf(await ask(...argv));
    expect(notes).toHaveLength(2);
    expect(notes[0]).toContain('Why it was not asked: Service reloader/reloader');
    expect(notes[1]).toBe('Note: Not known here: what the operator saw since its last note');
  },
);

test.each([
  [{ [`secret.${P}/reload`]: 'cred' }, 'did you mean creds?'],
  [{ [`configmap.${P}/reload`]: 'creds' }, 'creds is a Secret: this list is for ConfigMaps'],
  [{ [`${P}/atuo`]: 'true' }, `did you mean ${P}/auto?`],
])('explain finds what lint finds: %j', async (annotations, problem) => {
  const { stage, ask } = await shop({});
  await stage.create({
    ...workload('Deployment', 'typo', 'shop', { uses: [{ secret: 'creds' }] }),
    metadata: { name: 'typo', namespace: 'shop', annotations },
  } as unknown as Manifest);
  for (const running of [false, true]) {
    if (running) {
      await stage.openService();
      await stage.startOperator();
      await stage.clock.advance(5_000);
    }
    const { out } = await ask('explain', 'deployment/typo');
    expect(out).toContain('1 problem, told below\n');
    expect(out).toContain('\nProblems\n');
    expect(out).toContain(problem);
  }
});
