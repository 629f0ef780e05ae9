/**
 * Rule 6, both sides: a workload that opts in late is adopted, because a creation is not a change; and a change under a
 * lost key or an earlier installation is detected by the ages of the pods.
 */
import type { Ref } from '../chronicle.ts';
import { type Scenario, scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import { auto, change, uses } from './adopted-web.ts';

const WAYS: readonly (readonly [by: string, ask: (s: Scene, web: Ref) => Promise<unknown>])[] = [
  ['an annotation', (s, web) => s.annotate(web, auto)],
  [
    'a ReloaderConfig',
    (s) =>
      s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
        reloadOnCreate: false,
      }),
  ],
];

const late: Scenario[] = WAYS.flatMap(([by, ask]) =>
  ['runs', 'is away'].map((operator) =>
    scenario(
      `rule 6: a Secret that is younger than the pods restarts nothing when ${by} asks for it while the operator ${operator}`,
      async (s) => {
        const first = await s.operator();
        const web = await s.deployment('web', { uses });
        await s.stage.quiet(5_000, 1_200);
        await change(s, 'one');
        await s.stage.quiet(5_000, 1_200);
        if (operator === 'is away') await first.stop();
        await ask(s, web);
        await s.stage.quiet(5_000, 1_200);
        if (operator === 'is away') await s.operator();
        await s.adopted(web);
        await s.rolled([web, 0]);
        await change(s, 'two');
        await s.rolled([web, 1]);
      },
    ),
  ),
);

type Way = readonly [by: string, seeker: boolean, ask: (s: Scene, web: Ref) => Promise<unknown>];

const MORE_WAYS: readonly Way[] = [
  ['its list', false, (s, web) => s.annotate(web, { 'secret/reload': 'old,db' })],
  [
    'a ReloaderConfig',
    false,
    (s) =>
      s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
      }),
  ],
  ['the match annotation', true, (s) => s.annotate(s.ref('Secret', 'db'), { match: 'true' })],
];

/** The workload has a record, which is older than the Secret. */
const further: Scenario[] = MORE_WAYS.flatMap(([by, seeker, ask]) =>
  [[], ['--reload-on-create=true']].map((args) =>
    scenario(
      `rule 6: a Secret made and changed since the record restarts nothing when ${by} asks for it too (${args.join(' ') || 'no flags'})`,
      async (s) => {
        await s.secret('old', { password: 'one' });
        const annotations = { 'secret/reload': 'old', ...(seeker && { search: 'true' }) };
        const web = await s.deployment('web', { annotations, uses });
        await s.operator({ args });
        await s.adopted(web);
        await s.stage.quiet(5_000, 1_200);
        for (const content of ['one', 'two']) {
          await change(s, content);
          await s.stage.quiet(5_000, 1_200);
        }
        await ask(s, web);
        await s.rolled([web, 0]);
        await change(s, 'three');
        await s.rolled([web, 1]);
      },
    ),
  ),
);

/**
 * Each with its own Secret. Digests of another key cannot be compared, so the checks cannot find the cause of a reload.
 */
async function twoAdopted(s: Scene) {
  s.allow.unexplained = true;
  await change(s, 'one');
  await s.secret('other', { password: 'one' });
  const web = await s.deployment('web', { annotations: auto, uses });
  const still = await s.deployment('still', { annotations: auto, uses: [{ secret: 'other' }] });
  const first = await s.operator();
  await s.adopted(web, still);
  return { web, still, first };
}

const elsewhere: Scenario[] = [
  scenario(
    'rule 2: what changed while the digest key was lost is rolled out, and nothing else',
    async (s) => {
      const { web, still, first } = await twoAdopted(s);
      await s.stage.quiet(5_000, 1_200);
      await first.stop();
      await s.remove('Secret', 'reloader-digest-key', first.namespace);
      await change(s, 'two');
      await s.stage.quiet(5_000, 1_200);
      await s.operator();
      await s.rolled([web, 1], [still, 0]);
      await s.secret('other', { password: 'two' });
      await s.rolled([web, 1], [still, 1]);
    },
  ),

  scenario(
    'rule 2: what changed between two installations is rolled out by the second, and nothing else',
    async (s) => {
      const { web, still, first } = await twoAdopted(s);
      await change(s, 'two');
      await s.secret('other', { password: 'two' });
      await s.rolled([web, 1], [still, 1]);
      await s.running(web);
      await s.running(still);
      await s.stage.quiet(5_000, 1_200);
      await first.stop();
      await change(s, 'three');
      await s.stage.quiet(5_000, 1_200);
      await s.operator({ installation: 'elsewhere' });
      await s.rolled([web, 2], [still, 1]);
    },
  ),
];

export const optIn: Scenario[] = [...late, ...further, ...elsewhere];
