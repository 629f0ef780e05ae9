/** Conditions: labels of sources and workloads decide whether a change is rolled out now. */
import { expect } from 'vitest';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

const uses = [{ secret: 'db' }] as const;
const targets = ['web', 'api'].map((name) => ({ kind: 'Deployment', name }));
const watchedResources = { secrets: ['db'] };

const change = (s: Scene, value: string): Promise<void> => s.secret('db', { password: value });
const isHeld = (s: Scene, ref: Parameters<Scene['events']>[0], text: string): Promise<void> =>
  s.stage.until(`the wait for ${text}`, () =>
    s.events(ref).some(({ reason, message }) => reason === 'ReloadDeferred' && message.includes(text)),
  );

export const conditions = [
  scenario(
    'conditions: a change is held while labels say so, across a restart, and a label lets it through',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { uses });
      const api = await s.deployment('api', { uses });
      const secret = { kind: 'Secret', namespace: s.namespace, name: 'db' };
      await s.merge(secret, { metadata: { labels: { stage: 'draft' } } });
      const config = await s.config('config', {
        watchedResources,
        targets: [targets[0], { ...targets[1], condition: "workload.labels['tier'] == 'back'" }],
        condition: "source.labels['stage'] == 'approved' && 'password' in source.keys",
      });
      const first = await s.operator();
      await s.adopted(web, api);
      await change(s, 'two');
      await isHeld(s, web, '(condition)');
      await s.conditionIs(config, 'InvalidCondition', 'True', 'there is no such field or key');
      await first.kill();
      await s.operator();
      await s.stage.quiet();
      await s.rolled([web, 0], [api, 0]);
      expect(s.status(config).targetStatus?.map(({ deferredReason }) => deferredReason)).toEqual([
        'condition',
        'condition',
      ]);
      await s.merge(api, { metadata: { labels: { tier: 'back' } } });
      await s.rolled([web, 0], [api, 1]);
      await s.merge(secret, { metadata: { labels: { stage: 'approved' } } });
      await s.rolled([web, 1], [api, 1]);
      await s.stage.until('the condition to go', () => s.condition(config, 'InvalidCondition') === undefined);
    },
  ),

  scenario(
    'conditions: one that cannot be read holds its own workload only, and says how it is put right',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', {
        annotations: { auto: 'true', condition: "source.lables['a'] == 'b'" },
        uses,
      });
      const api = await s.deployment('api', { annotations: { auto: 'true' }, uses });
      await s.operator();
      await s.adopted(web, api);
      await change(s, 'two');
      await s.rolled([web, 0], [api, 1]);
      const told = s.events(web).find(({ reason }) => reason === 'InvalidCondition')?.message;
      expect(told).toContain('column 8: no such key: lables');
      await s.annotate(web, { condition: "source.name == 'db' && workload.replicas >= 1" });
      await s.rolled([web, 1], [api, 1]);
    },
  ),
];
