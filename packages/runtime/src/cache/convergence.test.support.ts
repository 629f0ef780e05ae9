/**
 * The property of every cache: it converges to the server's state, whatever was written and however often the server
 * was killed. Parametrised, so that a quick and a long test run the same procedure.
 */
import type { Client } from '../client/client.ts';
import { ApiError, NotFoundError } from '../client/errors.ts';
import { ConfigMap, type ConfigMapObject } from '../client/kinds.ts';
import { sleep, systemClock } from '../clock/clock.ts';
import { keyString } from '../model/types.ts';
import { createRandom, type Random } from '../testing/random.ts';
import { createInformer } from './create-informer.ts';
import { Replay, versions } from './harness.test.support.ts';
import type { Cached, InformerHealth } from './informer.ts';
import { identityOf } from './projection.ts';

export interface ConvergenceOptions {
  readonly seed: number;
  readonly writers: number;
  /** Total of all writers. */
  readonly writes: number;
  /** How often the server is killed, evenly spread over the writes. */
  readonly kills: number;
  readonly namespaces: readonly string[];
  /** The informer's client, and the writers' client. */
  readonly reader: Client;
  readonly writer: Client;
  /** Kills the API server and restarts it. */
  killAndRestart(): Promise<void>;
}

export interface ConvergenceReport {
  readonly writes: number;
  readonly events: number;
  readonly objects: number;
  /** Event sequences that no store could produce. */
  readonly faults: readonly string[];
  /** From the last write until the cache was equal to the server. */
  readonly caughtUpAfterMs: number;
  readonly health: InformerHealth;
  readonly cached: Readonly<Record<string, string>>;
  readonly replayed: Readonly<Record<string, string>>;
  readonly listed: Readonly<Record<string, string>>;
}

const NAMES_PER_NAMESPACE = 40;
const PATIENCE_MS = 90_000;

export async function checkConvergence(options: ConvergenceOptions): Promise<ConvergenceReport> {
  const { seed, reader } = options;
  const informer = createInformer<ConfigMapObject, Cached & { value: string }>({
    client: reader,
    type: ConfigMap,
    project: (object) => ({ metadata: identityOf(object), value: object.data?.value ?? '' }),
    random: createRandom(seed).next,
  });
  const replay = new Replay<Cached & { value: string }>();
  informer.addHandler(replay.handler);
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  try {
    await informer.whenSynced(AbortSignal.timeout(PATIENCE_MS));
    const progress = { written: 0 };
    await Promise.all([
      ...Array.from({ length: options.writers }, (_, index) =>
        writeAtRandom(options, createRandom(seed * 1000 + index), progress),
      ),
      killInBetween(options, progress),
    ]);
    const end = systemClock.monotonic();
    const listed = await untilEqual(options, () => versions(informer.store.list()));
    return {
      writes: progress.written,
      events: replay.events.length,
      objects: informer.store.size,
      faults: replay.faults,
      caughtUpAfterMs: systemClock.monotonic() - end,
      health: informer.health(),
      cached: versions(informer.store.list()),
      replayed: versions(replay.view.values()),
      listed,
    };
  } finally {
    controller.abort();
    await running;
  }
}

async function writeAtRandom(
  options: ConvergenceOptions,
  random: Random,
  progress: { written: number },
): Promise<void> {
  while (progress.written < options.writes) {
    progress.written++;
    const name = `item-${random.int(NAMES_PER_NAMESPACE)}`;
    const key = { namespace: random.pick(options.namespaces), name };
    const body = { data: { value: String(random.int(1e9)) } };
    try {
      if (random.chance(0.25)) await options.writer.delete(ConfigMap, key);
      else if (random.chance(0.1)) await recreate(options.writer, key, body);
      else {
        const object = { ...body, metadata: key, apiVersion: 'v1', kind: 'ConfigMap' };
        await options.writer.apply(ConfigMap, object, { fieldManager: 'convergence', force: true });
      }
    } catch (error) {
      // Conflicts with other writers and requests that were lost when the server was killed are expected.
      if (!(error instanceof ApiError)) await sleep(systemClock, 200);
    }
  }
}

async function recreate(
  client: Client,
  key: { namespace: string; name: string },
  body: object,
): Promise<void> {
  await client.delete(ConfigMap, key).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
  await client.create(ConfigMap, { ...body, metadata: key });
}

async function killInBetween(options: ConvergenceOptions, progress: { written: number }): Promise<void> {
  for (let kill = 1; kill <= options.kills; kill++) {
    const due = (options.writes * kill) / (options.kills + 1);
    while (progress.written < due) await sleep(systemClock, 20);
    await options.killAndRestart();
  }
}

/** Lists until the cache is equal or the timeout passes; returns the last list. */
async function untilEqual(
  options: ConvergenceOptions,
  cached: () => Record<string, string>,
): Promise<Record<string, string>> {
  const end = systemClock.monotonic() + PATIENCE_MS;
  for (;;) {
    const listed: Record<string, string> = {};
    const { items } = await options.reader.list(ConfigMap);
    for (const { metadata } of items) listed[keyString(metadata)] = metadata.resourceVersion;
    const sorted = Object.fromEntries(Object.entries(listed).sort(([a], [b]) => (a < b ? -1 : 1)));
    if (JSON.stringify(sorted) === JSON.stringify(cached()) || systemClock.monotonic() > end) return sorted;
    await sleep(systemClock, 100);
  }
}
