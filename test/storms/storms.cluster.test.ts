/** Storms without a virtual clock, on the real control plane: load shapes counted in the audit log, and real faults. */
import { expect } from 'vitest';
import { playReally } from '../reloader/play-really.ts';
import { PRODUCT, without } from '../reloader/rbac.ts';
import { type Scenario, scenario } from '../reloader/scenario.ts';
import { loadShapes } from './load-shapes.ts';
import { changesTemplate } from './template-writes.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;
/** A real server cannot answer the other shapes any differently than these. */
const REAL_SHAPES = [1, 2, 3, 4, 6, 7, 8, 10, 12, 13].map((shape) => `O1, shape ${shape}:`);

const accidents: readonly Scenario[] = [
  scenario('an operator that is suspended for a while catches up, once', async (s) => {
    await s.secret('db', { step: '0' });
    const web = await s.deployment('web', { annotations: auto, uses });
    const operator = await s.operator();
    await s.adopted(web);
    for (let step = 1; step <= 2; step++) {
      operator.signal?.('SIGSTOP');
      await s.secret('db', { step: `${step} unseen` });
      await s.stage.quiet(2_000, 2_000);
      await s.secret('db', { step: String(step) });
      expect(s.rollouts(web)).toBe(step - 1);
      operator.signal?.('SIGCONT');
      await s.rolled([web, step]);
    }
    const sent = (await s.stage.requests()).filter(changesTemplate);
    expect(sent).toHaveLength(2);
  }),

  scenario(
    'the right to patch is taken away and given back: the change waits, and is rolled out once',
    async (s) => {
      await s.secret('db', { step: '0' });
      const web = await s.deployment('web', { annotations: auto, uses });
      const operator = await s.operator();
      await s.adopted(web);
      await s.stage.permit(operator, without('deployments', 'patch'));
      await s.stage.quiet(2_000, 1_000);
      await s.secret('db', { step: '1' });
      await s.stage.until('a Warning', () => s.events(web).some(({ type }) => type === 'Warning'));
      expect(s.rollouts(web)).toBe(0);
      await s.stage.permit(operator, PRODUCT);
      await s.rolled([web, 1]);
    },
  ),

  scenario(
    'the right to read Secrets is taken away and given back: nothing restarts, nothing is lost',
    async (s) => {
      await s.secret('db', { step: '0' });
      const web = await s.deployment('web', { annotations: auto, uses });
      const operator = await s.operator();
      await s.adopted(web);
      await operator.kill();
      const blind = await s.operator({ permissions: without('secrets'), unready: true });
      await s.stage.quiet(5_000, 3_000);
      await s.secret('db', { step: '1' });
      await s.stage.quiet(2_000, 1_000);
      expect(s.rollouts(web)).toBe(0);
      await blind.kill();
      await s.operator();
      await s.rolled([web, 1]);
    },
  ),
];

playReally([
  ...loadShapes.filter(({ name }) => REAL_SHAPES.some((start) => name.startsWith(start))),
  ...accidents,
]);
