/** The builder's guarantees on paths that authors forget. */
import { startMinicluster } from '@reloader/minicluster';
import {
  type Condition,
  ConfigurationError,
  createClient,
  kinds,
  NotFoundError,
  type Operator,
  type OperatorBuilder,
  operator,
  StepError,
  TerminalError,
} from '@reloader/runtime';
import { defineKind, Type } from '@reloader/runtime/kind';
import {
  assertRights,
  eventually,
  installCrd,
  recordRights,
  recordWrites,
  runOperator,
  settle,
  VirtualClock,
} from '@reloader/runtime/testing';
import { afterEach, describe, expect, test } from 'vitest';

const Box = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  description: 'A box.',
  spec: Type.Object({ from: Type.Optional(Type.String()) }),
});
type BoxObject = NonNullable<(typeof Box)['object']>;
const key = { namespace: 'default', name: 'box' };

let end: (() => Promise<void>) | undefined;
afterEach(async () => await end?.());

async function start(declare: (builder: OperatorBuilder<BoxObject>) => Operator) {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1 });
  const client = createClient({ transport: cluster.transport(), clock });
  await settle(clock, installCrd(client, Box.crd(), { clock }));
  const writes = recordWrites(client);
  const rights = recordRights(writes.client);
  const declared = declare(operator(Box));
  const running = runOperator(declared, { client: rights.client, clock });
  end = async () => {
    await running.stop();
    await settle(clock, cluster.stop());
  };
  const create = (spec: BoxObject['spec'] = {}) => settle(clock, client.create(Box, { metadata: key, spec }));
  const conditions = async (): Promise<string[]> => {
    const { status } = await client.get(Box, key);
    const words = ({ type, status: value, reason }: Condition) => `${type} ${value} ${reason}`;
    return (status?.conditions ?? []).map(words);
  };
  const shows = (...wanted: string[]) =>
    eventually(clock, async () => expect((await conditions()).sort()).toEqual(wanted.sort()), {
      withinMs: 60_000,
    });
  return { clock, client, writes, rights, declared, create, shows };
}

describe('the builder', () => {
  test('an exception leaves a condition, with the message, and is tried again', async () => {
    let tries = 0;
    const { writes, create, shows } = await start((box) =>
      box.reconcile(async () => {
        tries += 1;
        if (tries < 4) throw new Error('the printer is on fire');
      }),
    );
    await create();
    await shows('Ready True Reconciled');
    expect(tries).toBe(4);
    // Each failure was written; the retries are too fast to check in between.
    const statuses = writes.writes
      .filter(({ target }) => target.endsWith('(status)'))
      .map(({ body }) => JSON.stringify(body));
    expect(statuses[0]).toContain('the printer is on fire');
  });

  test('a terminal error is stalled and not tried again', async () => {
    let tries = 0;
    const { clock, create, shows } = await start((box) =>
      box.reconcile(async () => {
        tries += 1;
        throw new TerminalError('this cannot work', { reason: 'Impossible' });
      }),
    );
    await create();
    await shows('Stalled True Impossible', 'Ready False Impossible');
    await clock.advance(3_600_000);
    expect(tries).toBe(1);
  });

  test('an object of another owner is not adopted, and is requeued slowly', async () => {
    const { clock, client, writes, create, shows } = await start((box) =>
      box.owns(kinds.ConfigMap).reconcile(async ({ ensure }) => {
        await ensure(kinds.ConfigMap, 'box', (draft) => {
          draft.data = { ours: 'yes' };
        });
      }),
    );
    await settle(clock, client.create(kinds.ConfigMap, { metadata: key, data: { theirs: 'yes' } }));
    await create();
    await shows('Stalled True NotOwned', 'Ready False NotOwned');
    writes.takeWrites();
    await clock.advance(4 * 60_000);
    expect(writes.takeWrites()).toEqual([]);
    expect((await settle(clock, client.get(kinds.ConfigMap, key))).data).toEqual({ theirs: 'yes' });
  });

  test('a watched object enqueues the mapped keys, and is read from the cache', async () => {
    const { clock, client, create, shows } = await start((box) =>
      box
        .watches(kinds.ConfigMap, function* ({ metadata: { namespace, name } }, boxes) {
          for (const each of boxes.list(namespace)) if (each.spec.from === name) yield each.metadata;
        })
        .reconcile(async ({ object, cached, condition }) => {
          const source = cached(kinds.ConfigMap, object.spec.from ?? '');
          if (!source) return { reconciling: { reason: 'NoSource' } };
          condition({ type: 'Filled', status: 'True', reason: source.data?.word ?? 'Empty' });
          return undefined;
        }),
    );
    await create({ from: 'source' });
    await shows('Reconciling True NoSource', 'Ready Unknown NoSource');
    const source = { metadata: { namespace: 'default', name: 'source' }, data: { word: 'Apples' } };
    await settle(clock, client.create(kinds.ConfigMap, source));
    await shows('Ready True Reconciled', 'Filled True Apples');
  });

  test('a cleanup that says "later" keeps the object, and says why', async () => {
    let done = false;
    const { clock, client, create, shows } = await start((box) =>
      box
        .cleanup(async () =>
          done ? undefined : { reconciling: { reason: 'Emptying' }, requeueAfterMs: 1_000 },
        )
        .reconcile(async () => undefined),
    );
    await create();
    await shows('Ready True Reconciled');
    await settle(clock, client.delete(Box, key));
    await shows('Reconciling True Emptying', 'Ready Unknown Emptying');
    done = true;
    await eventually(clock, () => expect(client.get(Box, key)).rejects.toBeInstanceOf(NotFoundError), {
      withinMs: 60_000,
    });
  });

  test('a cleanup that returns an error keeps the object, as if it had thrown it', async () => {
    let broken = true;
    const { clock, client, create, shows } = await start((box) =>
      box
        .cleanup(async () => (broken ? { error: new Error('the database does not answer') } : undefined))
        .reconcile(async () => undefined),
    );
    await create();
    await shows('Ready True Reconciled');
    await settle(clock, client.delete(Box, key));
    await shows('Reconciling True ReconcileFailed', 'Ready False ReconcileFailed');
    broken = false;
    await eventually(clock, () => expect(client.get(Box, key)).rejects.toBeInstanceOf(NotFoundError));
  });

  test.each([
    ['a person has to act', new ConfigurationError('no such plan', { reason: 'NoPlan' }), 'NoPlan', 2],
    ['a step cannot work', new StepError('Plan', new TerminalError('gone for good')), 'PlanFailed', 1],
  ])(
    'an error that is returned because %s counts as one that is thrown',
    async (_, error, reason, passes) => {
      let tries = 0;
      const { clock, create, shows } = await start((box) =>
        box.reconcile(async () => {
          tries += 1;
          return { error };
        }),
      );
      await create();
      await shows(`Stalled True ${reason}`, `Ready False ${reason}`);
      await clock.advance(310_000);
      expect(tries).toBe(passes);
    },
  );

  test('an undeclared permission is found', async () => {
    const { clock, rights, declared, create, shows } = await start((box) =>
      box.reconcile(async ({ client, signal }) => {
        await client.list(kinds.Secret, { namespace: 'default', signal });
      }),
    );
    await create();
    await shows('Ready True Reconciled');
    await clock.advance(1_000);
    expect(() => assertRights(declared.rules(), rights.used)).toThrow('list secrets');
    const told = operator(Box)
      .needs(kinds.Secret, 'list')
      .reconcile(async () => undefined);
    expect(() => assertRights(told.rules(), rights.used)).not.toThrow();
  });

  test('reading a kind that is not watched says what to do', async () => {
    const { create, shows, clock, client } = await start((box) =>
      box.reconcile(async ({ cached }) => void cached(kinds.Secret, 'x')),
    );
    await create();
    await eventually(clock, async () => {
      const { status } = await client.get(Box, key);
      expect(status?.conditions?.[0]?.message).toContain('add .owns() or .watches() of Secret');
    });
    await shows('Reconciling True InternalError', 'Ready False InternalError');
  });
});
