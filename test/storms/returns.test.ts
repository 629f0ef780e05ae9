/**
 * C4: changed and changed back, deleted and re-created, broken and fixed. The end state equals that of a fresh start.
 */
import { describe, expect, test } from 'vitest';
import type { Ref } from '../reloader/chronicle.ts';
import type { Scene } from '../reloader/scene.ts';
import { inStorm } from './play.ts';
import { rejectedByWebhook } from './refusals.ts';
import type { Storm } from './storm.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;

const change = (s: Scene, password: string): Promise<void> => s.secret('db', { password });

async function adoptedWeb(s: Scene, annotations: Record<string, string> = auto): Promise<Ref> {
  await change(s, 'A');
  const web = await s.deployment('web', { annotations, uses });
  await s.operator();
  await s.adopted(web);
  return web;
}

describe('C4: there and back', () => {
  test('within one quiet period: no rollout, and the ledger is as it was', () =>
    inStorm({ seed: 1 }, async (s) => {
      const web = await adoptedWeb(s);
      const before = s.record(web);
      await change(s, 'B');
      await s.stage.quiet(400);
      await change(s, 'A');
      await s.rolled([web, 0]);
      expect(s.record(web)).toEqual(before);
    }));

  test('slowly: a rollout each way, and what is recorded equals a fresh start with A', () =>
    inStorm({ seed: 1 }, async (s) => {
      const web = await adoptedWeb(s);
      const fresh = s.record(web)?.s;
      await change(s, 'B');
      await s.rolled([web, 1]);
      await change(s, 'A');
      await s.rolled([web, 2]);
      expect(s.record(web)?.s).toEqual(fresh);
      // The template has one value for the source, not one for each change.
      expect(Object.keys(s.env(web))).toEqual(['STAKATER_DB_SECRET']);
    }));

  test('in the middle of the rollout of B: one more rollout, and every pod has A', () =>
    inStorm({ seed: 1 }, async (s) => {
      const web = await adoptedWeb(s);
      await change(s, 'B');
      await s.stage.until('the rollout of B', () => s.rollouts(web) === 1);
      await change(s, 'A');
      await s.rolled([web, 2]);
    }));
});

describe('C4: there and back while the operator cannot reach the server', () => {
  async function parted(s: Scene, storm: Storm, replicas: number): Promise<Ref> {
    const web = await adoptedWeb(s);
    await s.stage.quiet(5_000);
    storm.parted = true;
    storm.cutWatches();
    await change(s, 'B');
    await s.stage.quiet(5_000);
    await s.merge(web, { spec: { replicas } });
    await s.stage.quiet(5_000);
    await change(s, 'A');
    await s.stage.quiet(5_000);
    storm.parted = false;
    await s.stage.quiet(150_000);
    return web;
  }

  test('a pod was made in between: one rollout', () =>
    inStorm({ seed: 1 }, async (s, storm) => {
      s.allow.unexplained = true;
      await s.rolled([await parted(s, storm, 2), 1]);
    }));

  test('no pod was made in between: nothing', () =>
    inStorm({ seed: 1 }, async (s, storm) => {
      await s.rolled([await parted(s, storm, 1), 0]);
    }));
});

describe('C4: gone and here again', () => {
  test('a source with the same content: nothing; with other content: one rollout', () =>
    inStorm({ seed: 1 }, async (s) => {
      const web = await adoptedWeb(s);
      const fresh = s.record(web)?.s;
      await s.remove('Secret', 'db');
      await s.stage.quiet();
      await change(s, 'A');
      await s.rolled([web, 0]);
      expect(s.record(web)?.s).toEqual(fresh);
      await s.remove('Secret', 'db');
      await s.stage.quiet();
      await change(s, 'B');
      await s.rolled([web, 1]);
    }));

  test('with reload-on-delete: one rollout when it goes, and no variable is left of it', () =>
    inStorm({ seed: 1 }, async (s) => {
      await change(s, 'A');
      const web = await s.deployment('web', { annotations: auto, uses });
      await s.operator({ args: ['--reload-on-delete=true'] });
      await s.adopted(web);
      await change(s, 'B');
      await s.rolled([web, 1]);
      await s.remove('Secret', 'db');
      await s.rolled([web, 2]);
      expect(s.env(web)).toEqual({});
    }));

  test('a re-created workload is adopted as it is, whatever the record of its predecessor', () =>
    inStorm({ seed: 1 }, async (s) => {
      const web = await adoptedWeb(s);
      await change(s, 'B');
      await s.rolled([web, 1]);
      await s.remove('Deployment', 'web');
      await s.gone(web);
      await change(s, 'C');
      await s.stage.quiet();
      await s.deployment('web', { annotations: auto, uses });
      await s.adopted(web);
      expect(s.record(web)?.seq).toBe(0);
      await s.rolled([web, 1]);
    }));
});

describe('C4: broken and mended', () => {
  test('a rollout that fails is followed by one for the next change, and the status heals', () =>
    inStorm({ seed: 1 }, async (s, storm) => {
      await change(s, 'good');
      const web = await s.deployment('web', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
      });
      await s.operator();
      await s.adopted(web);
      await s.conditionIs(config, 'Available', 'True');
      storm.cluster.workloads?.script({
        labels: { app: 'web' },
        behaviour: { fault: 'crash' },
        when: { kind: 'Secret', name: 'db', key: 'password', value: 'CANARYbad' },
      });
      await change(s, 'bad');
      await s.rolled([web, 1]);
      await s.stage.quiet(700_000);
      await change(s, 'good again');
      await s.rolled([web, 2]);
      await s.stage.quiet(60_000);
      await s.conditionIs(config, 'Available', 'True');
      await s.conditionIs(config, 'Degraded', 'False');
    }));

  test('a reload that a policy rejects is reported, and done once when the policy is removed', () => {
    let isFriday = true;
    const refuse = (asked: Parameters<typeof rejectedByWebhook>[0]) =>
      isFriday &&
      asked.verb === 'patch' &&
      asked.name === 'web' &&
      JSON.stringify(asked.body).includes('"seq\\":1')
        ? rejectedByWebhook(asked)
        : undefined;
    return inStorm({ seed: 1, refuse }, async (s) => {
      await change(s, 'A');
      const web = await s.deployment('web', { uses });
      const other = await s.deployment('other', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [
          { kind: 'Deployment', name: 'web' },
          { kind: 'Deployment', name: 'other' },
        ],
      });
      await s.operator();
      await s.adopted(web, other);
      await change(s, 'B');
      await s.rolled([web, 0], [other, 1]);
      await s.conditionIs(config, 'Degraded', 'True', 'Fridays');
      isFriday = false;
      await s.stage.quiet(310_000);
      await s.rolled([web, 1], [other, 1]);
      await s.conditionIs(config, 'Degraded', 'False');
      await s.conditionIs(config, 'Available', 'True');
    });
  });
});
