/** The builder's settings that a larger program needs: our own controller of PodConfigMapConfigs uses them. */
import { startMinicluster } from '@reloader/minicluster';
import {
  channel,
  createClient,
  createEventRecorder,
  findCondition,
  InformerCache,
  kinds,
  Manager,
  type ObjectKey,
  type Operator,
  type OperatorEnvironment,
  type OperatorSettings,
  operator,
} from '@reloader/runtime';
import { defineKind, Type } from '@reloader/runtime/kind';
import { eventually, installCrd, runOperator, settle, VirtualClock } from '@reloader/runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const Box = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  description: 'A box.',
  spec: Type.Object({ size: Type.Optional(Type.Integer()) }),
});
type BoxObject = NonNullable<(typeof Box)['object']>;
const key = { namespace: 'default', name: 'box' };

async function openWorld() {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1 });
  const client = createClient({ transport: cluster.transport(), clock });
  const ends: (() => Promise<void>)[] = [];
  return {
    clock,
    cluster,
    client,
    ends,
    install: () => settle(clock, installCrd(client, Box.crd(), { clock })),
    run(declared: Operator, environment: Partial<OperatorEnvironment> = {}) {
      const running = runOperator(declared, { client, clock, ...environment });
      ends.unshift(() => running.stop());
      return running;
    },
    create: (at: ObjectKey = key, spec: BoxObject['spec'] = {}) =>
      settle(clock, client.create(Box, { metadata: at, spec })),
    shows: (at: ObjectKey = key) =>
      eventually(clock, async () => {
        const { status } = await client.get(Box, at);
        expect(findCondition(status?.conditions, 'Ready')?.status).toBe('True');
        return status;
      }),
  };
}

let world: Awaited<ReturnType<typeof openWorld>>;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(async () => {
  for (const end of world.ends) await end();
  await settle(world.clock, world.cluster.stop());
});

/** An operator that records which boxes it reconciled. */
function watcher(settings: OperatorSettings<BoxObject> = {}) {
  const seen: string[] = [];
  // No resync.
  const told = operator(Box, { resyncMs: 0, ...settings });
  const look = async ({ object }: { object: BoxObject }): Promise<void> => {
    seen.push(`${object.metadata?.namespace}/${object.metadata?.name}`);
  };
  return { seen, told, look };
}

describe('an operator', () => {
  test('that is optional begins when its definition is installed, however late', async () => {
    const { told, look } = watcher({ optional: true });
    const running = world.run(told.reconcile(look));
    await world.clock.advance(600_000);
    expect(running.controller.inspect()).toEqual([]);
    await world.install();
    await world.create();
    await world.shows();
  });

  test('looks at what a channel asks for', async () => {
    await world.install();
    const asked = channel<ObjectKey>('asked');
    const { seen, told, look } = watcher();
    world.run(told.on(asked).reconcile(look));
    await world.create();
    await world.shows();
    expect(seen).toEqual(['default/box']);
    asked.trigger(key);
    await eventually(world.clock, () => expect(seen).toHaveLength(2));
  });

  test('forgets what is gone', async () => {
    await world.install();
    const gone: ObjectKey[] = [];
    const { told, look } = watcher({ gone: (each) => gone.push(each) });
    world.run(told.reconcile(look));
    await world.create();
    await world.shows();
    expect(gone).toEqual([]);
    await settle(world.clock, world.client.delete(Box, key));
    await eventually(world.clock, () => expect(gone).toEqual([key]));
  });

  test('is measured around the whole pass, and errors are seen as thrown', async () => {
    await world.install();
    const told: string[] = [];
    const { look } = watcher();
    world.run(
      operator(Box, {
        maxRetries: 2,
        wrap: (pass) => async (at, context) => {
          try {
            return await pass(at, context);
          } catch (error) {
            told.push(`${at.name} ${context.attempt} ${context.isLastAttempt}: ${(error as Error).message}`);
            throw error;
          }
        },
      }).reconcile(async (pass) => {
        await look(pass);
        throw new Error('jammed');
      }),
    );
    await world.create();
    await world.clock.advance(600_000);
    expect(told).toEqual(['box 1 false: jammed', 'box 2 false: jammed', 'box 3 true: jammed']);
  });

  test('leaves observedGeneration, phase and Events to the author where told', async () => {
    await world.install();
    const events: string[] = [];
    const recorder = { record: (...[, , reason]: unknown[]) => void events.push(String(reason)) };
    const { told, look } = watcher({ observedGeneration: false, phase: false, transitionEvents: false });
    world.run(told.reconcile(look), { events: recorder });
    await world.create();
    const status = await world.shows();
    expect(Object.keys(status ?? {})).toEqual(['conditions']);
    await world.clock.advance(10_000);
    expect(events).toEqual([]);
  });

  test('keeps to its namespaces, one or several', async () => {
    await world.install();
    for (const name of ['one', 'two', 'three'])
      await settle(world.clock, world.client.create(kinds.Namespace, { metadata: { name } }));
    const { seen, told, look } = watcher();
    world.run(told.reconcile(look), { namespaces: ['one', 'two'] });
    for (const namespace of ['three', 'one', 'two']) await world.create({ namespace, name: 'box' });
    await world.shows({ namespace: 'one', name: 'box' });
    await world.shows({ namespace: 'two', name: 'box' });
    await world.clock.advance(60_000);
    expect(seen.sort()).toEqual(['one/box', 'two/box']);
  });

  test('shares a cache and a recorder, which it does not run', async () => {
    await world.install();
    const { client, clock } = world;
    const cache = new InformerCache({ client, clock });
    const events = createEventRecorder({ client, component: 'box', clock });
    const { told, look } = watcher();
    const { runnables } = told.reconcile(look).build({ client, clock, cache, events });
    expect(runnables.map(({ name }) => name)).toEqual(['box']);
    const manager = new Manager({ clock });
    manager.add(events, { name: 'cache', stage: 'caches', start: ({ stopping }) => cache.run(stopping) });
    manager.add(...runnables);
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    world.ends.push(async () => {
      stop.abort();
      await settle(clock, running);
    });
    await world.create();
    await world.shows();
    expect(cache.informer({ type: Box }).store.get(key)?.metadata.name).toBe('box');
    expect(cache.health().size).toBe(1);
  });
});
