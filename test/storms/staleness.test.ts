/** C2, C3 and C5: a front end that lags, events that no operator sees, own writes that come back late. */
import { forEachSeed } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import type { Scene } from '../reloader/scene.ts';
import { inStorm } from './play.ts';
import { withoutWatchList } from './refusals.ts';
import type { Storm } from './storm.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }, { configMap: 'settings' }] as const;
/** Longer than any timeout of the runtime. */
const LONG_MS = 150_000;

async function stage(s: Scene) {
  await s.secret('db', { password: 'one' });
  await s.configMap('settings', { mode: 'slow' });
  const web = await s.deployment('web', { annotations: auto, uses, replicas: 2 });
  const store = await s.workload('StatefulSet', 'store', { uses: [{ secret: 'db' }] });
  const config = await s.config('config', {
    watchedResources: { secrets: ['db'] },
    targets: [{ kind: 'StatefulSet', name: 'store' }],
  });
  await s.operator();
  await s.adopted(web, store);
  return { web, store, config };
}

/** The front end catches up one revision at a time, with time for the operator to react wrongly to each. */
async function catchUp(storm: Storm, from: number, stepMs: number): Promise<void> {
  for (let revision = from + 1; revision <= storm.revision; revision++) {
    storm.replica.advanceTo(revision);
    await storm.quiet(stepMs);
  }
  storm.replica.release();
  await storm.quiet(LONG_MS);
}

describe('C2: a front end that lags behind', () => {
  test.each([
    { how: 'a new process', restart: true },
    { how: 'the same process', restart: false },
  ])('$how that connects to it goes through the past again, and restarts nothing', ({ restart }) =>
    forEachSeed({ count: 3 }, (random) =>
      // With watch-list, a server that lags does not answer a new client at all.
      inStorm({ seed: random.seed, refuse: withoutWatchList }, async (s, storm) => {
        const { web, store, config } = await stage(s);
        storm.replica.hold();
        const held = storm.revision;
        const changes = 1 + random.int(3);
        for (let change = 0; change < changes; change++) {
          await s.secret('db', { password: `value ${change}` });
          await storm.quiet(20_000);
        }
        await s.rolled([web, changes], [store, changes]);
        storm.stale = true;
        const [operator] = storm.alive;
        if (restart && operator) storm.replaceOperator(operator);
        else storm.cutWatches();
        await storm.quiet(random.int(60_000));
        await catchUp(storm, held, random.pick([20, 1_500, 4_000]));
        await s.rolled([web, changes], [store, changes]);
        expect(s.status(config).reloadCount).toBe(changes);
      }),
    ),
  );

  test('a change that it hides is rolled out once when it shows, however far behind it was', async () => {
    for (const lag of [1, 2, 5]) {
      await inStorm({ seed: lag }, async (s, storm) => {
        const { web, store } = await stage(s);
        storm.stale = true;
        storm.cutWatches();
        await storm.quiet(5_000);
        storm.replica.hold();
        const held = storm.revision;
        for (let change = 0; change < lag; change++) await s.secret('db', { password: `new ${change}` });
        await storm.quiet(LONG_MS);
        await s.rolled([web, 0], [store, 0]);
        // All revisions within one settling time.
        await catchUp(storm, held, 100);
        await s.rolled([web, 1], [store, 1]);
      });
    }
  });
});

describe('C3: events that nobody sees', () => {
  test.each([1, 2, 3, 4, 5])('%i changes in one list are one rollout', (changes) =>
    inStorm({ seed: changes }, async (s, storm) => {
      const { web, store } = await stage(s);
      storm.parted = true;
      storm.cutWatches();
      for (let change = 1; change <= changes; change++) {
        await s.secret('db', { password: `value ${change}` });
        // Longer than a server keeps events for late watchers.
        await storm.quiet(60_000);
      }
      storm.parted = false;
      await storm.quiet(LONG_MS);
      await s.rolled([web, 1], [store, 1]);
    }),
  );

  test('changed and changed back unseen is no change; deleted and re-created unseen is one at most', () =>
    inStorm({ seed: 1 }, async (s, storm) => {
      const { web, store } = await stage(s);
      storm.parted = true;
      storm.cutWatches();
      await s.secret('db', { password: 'two' });
      await storm.quiet(100_000);
      await s.secret('db', { password: 'one' });
      await s.remove('ConfigMap', 'settings');
      await storm.quiet(100_000);
      await s.configMap('settings', { mode: 'fast' });
      await storm.quiet(100_000);
      storm.parted = false;
      await storm.quiet(LONG_MS);
      await s.rolled([web, 1], [store, 0]);
    }));
});

describe('C5: own writes that come back late', () => {
  test.each([0, 100, 1_000, 3_000, 10_000, 60_000])('after %i ms: nothing is done twice', (delayMs) =>
    inStorm({ seed: 3 }, async (s, storm) => {
      const { web, store, config } = await stage(s);
      storm.stale = true;
      storm.cutWatches();
      await storm.quiet(5_000);
      storm.replica.hold();
      for (let change = 1; change <= 3; change++) {
        await s.secret('db', { password: `value ${change}` });
        storm.replica.advanceTo(storm.revision);
        // The operator writes the reload now, and the front end does not show it.
        await storm.quiet(1_200 + delayMs);
        storm.replica.advanceTo(storm.revision);
        await storm.quiet(20_000);
      }
      storm.replica.release();
      await storm.quiet(LONG_MS);
      await s.rolled([web, 3], [store, 3]);
      expect(s.status(config).reloadCount).toBe(3);
    }),
  );
});
