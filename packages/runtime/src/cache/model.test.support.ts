/**
 * Any sequence of writes, lost connections, expired versions, lag, silence and refusals, compared with the server's
 * state.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { apiErrorFrom } from '../client/errors.ts';
import type { Stored } from '../model/types.ts';
import {
  expired,
  type FakeServer,
  type Item,
  serverError,
  throttled,
  tooLarge,
} from '../reflector/fake-server.test.support.ts';
import {
  type InformerHarness,
  Replay,
  serverVersions,
  startInformer,
  versions,
} from './harness.test.support.ts';

type Harness = InformerHarness<Stored<Item>>;

const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2');
const verb = fc.constantFrom('list' as const, 'watch' as const, 'watch-list' as const);
const fault = fc.constantFrom(
  expired,
  tooLarge,
  serverError,
  () => throttled(3),
  () => apiErrorFrom({ code: 403, reason: 'Forbidden' }),
  () => 'hang' as const,
);

/** One step, with a name for the failure report. */
interface Step {
  readonly name: string;
  do(server: FakeServer): void;
}

const step: fc.Arbitrary<Step | number> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(key, fc.string()).map(([k, v]) => named(`put ${k}`, (s) => void s.put(k, v))),
  },
  { weight: 4, arbitrary: key.map((k) => named(`remove ${k}`, (s) => s.remove(k))) },
  {
    weight: 2,
    arbitrary: key.map((k) =>
      named(`recreate ${k}`, (s) => {
        s.remove(k);
        s.put(k, 'recreated');
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('eof' as const, 'lost' as const, 'silent' as const)
      .map((how) => named(`cut ${how}`, (s) => s.cut(how))),
  },
  { weight: 1, arbitrary: fc.constant(named('cut by 410', (s) => s.cut(expired()))) },
  { weight: 1, arbitrary: fc.constant(named('cut by 500', (s) => s.cut(serverError()))) },
  { weight: 2, arbitrary: fc.constant(named('compact', (s) => s.compact())) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 6 }).map((n) => named(`stutter ${n}`, (s) => s.stutter(n))),
  },
  { weight: 1, arbitrary: fc.constant(named('bookmark', (s) => s.bookmark())) },
  {
    weight: 2,
    arbitrary: fc.tuple(verb, fault).map(([v, f]) => named(`fail the next ${v}`, (s) => s.failNext(v, f()))),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(4), fc.boolean()).map(([lag, lying]) =>
      named(`lag ${lag}${lying ? ', also in quorum reads' : ''}`, (s) => {
        s.lag = lag;
        s.lyingQuorum = lying;
        s.catchUp();
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('yes' as const, 'unsupported' as const, 'endless' as const).map((mode) =>
      named(`watch-list: ${mode}`, (s) => {
        s.watchLists = mode;
      }),
    ),
  },
  // Time passes.
  { weight: 8, arbitrary: fc.constantFrom(0, 1, 500, 2000, 20_000, 75_000) },
);

function named(name: string, perform: Step['do']): Step {
  return { name, do: perform, [fc.toStringMethod]: () => name } as Step;
}

async function calm({ server, clock }: Harness): Promise<void> {
  server.lag = 0;
  server.lyingQuorum = false;
  server.watchLists = 'yes';
  server.catchUp();
  // Triggers planned failures that have not happened yet.
  await clock.advance(900_000);
}

/** Throws with the shortest failing sequence if the cache ever differs from the expected state. */
export async function checkAgainstModel(options: {
  readonly runs: number;
  readonly seed: number;
}): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 50 }),
      fc.record({ seed: fc.nat(1e6), watchList: fc.boolean(), pageSize: fc.constantFrom(0, 1, 2, 500) }),
      async (steps, { seed, watchList, pageSize }) => {
        const harness = await startInformer<Stored<Item>>({
          seed,
          // A server that returns old data for minutes looks like one restored from a backup, which is another test.
          tuning: { watchList, pageSize, rollbackAfter: Number.POSITIVE_INFINITY },
          indexes: { value: (item) => [item.data?.value ?? ''] },
          prepare: (server) => {
            server.put('a/1', 'first');
            server.put('b/1', 'first');
          },
        });
        const { server, clock, informer, replay } = harness;
        const late = new Replay<Stored<Item>>();
        const newest = new Map<string, number>();
        informer.addHandler(({ type, object }) => {
          const { uid, resourceVersion } = object.metadata;
          const version = Number(resourceVersion);
          if (type !== 'delete' && version < (newest.get(uid) ?? 0)) late.faults.push(`${uid} went back`);
          newest.set(uid, version);
        });
        for (const [index, each] of steps.entries()) {
          if (typeof each === 'number') await clock.advance(each);
          else each.do(server);
          if (index === 10) informer.addHandler(late.handler);
          expect(versions(replay.view.values())).toEqual(versions(informer.store.list()));
        }
        await calm(harness);
        const expected = serverVersions(server);
        expect(versions(informer.store.list())).toEqual(expected);
        expect(versions(replay.view.values())).toEqual(expected);
        if (steps.length > 10) expect(versions(late.view.values())).toEqual(expected);
        expect([...replay.faults, ...late.faults]).toEqual([]);
        for (const object of server.objects().values()) {
          const found = versions(informer.store.byIndex('value', object.data?.value ?? ''));
          expect(Object.values(found)).toContain(object.metadata.resourceVersion);
        }
        expect(informer.health().state.phase).toBe('watching');
        await harness.stop();
        expect(clock.pendingTimers).toBe(0);
        expect(server.streams.size).toBe(0);
      },
    ),
    { numRuns: options.runs, seed: options.seed },
  );
}
