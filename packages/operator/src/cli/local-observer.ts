/**
 * Looking at the cluster without the operator: everything is read once with the caller's own rights, and decided by the
 * engine's own functions.
 *
 * In: a connection, and which namespaces matter. Out: an observer, and in words what it cannot know: the operator's
 * memory, the digest key, Secrets that the caller may not read. Guarantees: it writes nothing.
 */
import { ApiError, type Client, type Clock, ForbiddenError, listAll, silentLogger } from '@reloader/runtime';
import { keyIdOf } from '../api/judge.ts';
import type { Observer } from '../api/observer.ts';
import { DIGEST_KEY_NAME, type LoadedDigestKey, loadDigestKey } from '../reloader/digest/key.ts';
import { lookAtPods } from '../reloader/evidence/pods.ts';
import type { ConfigFacts } from '../reloader/model/config.ts';
import { ReloaderConfigs, Secrets } from '../reloader/model/kinds.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import { configFacts } from '../reloader/project/config-projection.ts';
import { createWatch, type Watch } from '../reloader/watch/watch.ts';
import { installedSettings } from './installed.ts';
import type { Surroundings } from './surroundings.ts';

export interface LocalView {
  readonly observer: Observer;
  /** What could not be known, each one sentence. */
  readonly limits: readonly string[];
  close(): Promise<void>;
}

export interface LocalOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly operatorNamespace?: string;
}

export async function openLocalView(
  { client, namespace, operatorNamespace }: LocalOptions,
  { clock, signal }: Surroundings,
): Promise<LocalView> {
  const installed = await installedSettings(client, operatorNamespace, signal);
  const given = installed.settings.reloader;
  const namespaces = await namespacesThatMatter(client, namespace, given, signal);
  const settings: ReloaderSettings = { ...given, namespaces };
  const key = await digestKey(client, given, clock, signal);
  const watch = await createWatch({
    client,
    settings,
    clock,
    logger: silentLogger,
    digestKey: key.key,
    previousDigestKey: key.previous?.key,
    signal,
  });
  const stop = new AbortController();
  const ended = run(watch, AbortSignal.any([signal, stop.signal]));
  await watch.whenSynced(signal);
  const comparesSecrets = given.digest === 'sha1' || key.key !== undefined;
  const unreadable = watch.access.maySomewhere('list', Secrets) ? undefined : 'You may not list Secrets here';
  return {
    observer: {
      world: watch.world,
      settings,
      now: () => clock.now(),
      install: (workload) => ({
        at: key.installedAt,
        keyId: key.keyId ?? keyIdOf(workload),
        previousKeyId: key.previous?.keyId,
      }),
      memory: () => undefined,
      lastError: () => undefined,
      notes: () => [],
      history: () => undefined,
      unfinished: () => 0,
      workloads: (asked) =>
        [...watch.workloadInformers.values()].flatMap(({ store }) => [...store.list(asked)]),
      concerned: (ref, labels) => watch.concerned.bySource(ref, [labels]) as WorkloadRef[],
      lookAtPods: (workload, why, each) => lookAtPods(client, workload, why, each),
      isOperator: false,
      comparesSecrets,
    },
    limits: [
      `The operator was not asked: this is computed here, with ${installed.from}`,
      given.mode === 'observe'
        ? 'In observe mode only the operator knows what workloads were last rolled out with'
        : 'What already waits, and since when, only the operator knows',
      ...(unreadable ? [`${unreadable}, so nothing is known of them`] : []),
      ...(comparesSecrets || unreadable
        ? []
        : [
            `Whether Secrets changed cannot be told: the digest key (Secret ${given.operatorNamespace}/${DIGEST_KEY_NAME}) is not yours to read`,
          ]),
    ],
    async close() {
      stop.abort(new Error('the command has ended'));
      await ended;
    },
  };
}

/** Until the signal; whatever it says then is of no interest. */
async function run(watch: Watch, signal: AbortSignal): Promise<void> {
  const signals = { stopping: signal, abort: signal };
  await Promise.allSettled(watch.runnables.map((runnable) => runnable.start(signals)));
}

/** Empty for all. Reading every Secret of a cluster for one workload would be rude. */
async function namespacesThatMatter(
  client: Client,
  namespace: string,
  settings: ReloaderSettings,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const needed = new Set([namespace]);
  for (const config of await configsOf(client, namespace, settings, signal)) {
    const places = [config.metadata.namespace, ...config.targets.map((target) => target.namespace)];
    if (config.namespaceSelector) return settings.namespaces;
    if (places.includes(namespace)) for (const place of places) needed.add(place);
  }
  const { namespaces, namespacesToIgnore, namespaceSelector } = settings;
  if (namespaces.length > 0) {
    const within = [...needed].filter((each) => namespaces.includes(each));
    return within.length > 0 ? within : namespaces;
  }
  // Whoever names namespaces overrides what leaves some out, and then they would seem to be watched.
  const isLeftOut =
    namespaceSelector !== undefined || [...needed].some((each) => namespacesToIgnore.has(each));
  return isLeftOut ? [] : [...needed];
}

async function configsOf(
  client: Client,
  namespace: string,
  { names }: ReloaderSettings,
  signal: AbortSignal,
): Promise<readonly ConfigFacts[]> {
  const list = async (scope: { readonly namespace?: string }): Promise<ConfigFacts[]> => {
    const { items } = await listAll(client, ReloaderConfigs, { ...scope, signal });
    return items.map((object) => configFacts(object, names));
  };
  try {
    return await list({});
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error instanceof ForbiddenError ? list({ namespace }).catch(() => []) : [];
  }
}

/** For those who may read it: then Secrets are compared as the operator does. Nothing is created. */
async function digestKey(
  client: Client,
  { operatorNamespace: namespace, digest: mode }: ReloaderSettings,
  clock: Clock,
  signal: AbortSignal,
): Promise<LoadedDigestKey> {
  const refuse = (): Promise<never> =>
    Promise.reject(new ForbiddenError({ code: 403, reason: 'Forbidden', message: 'commands only read' }));
  const reader: Pick<Client, 'create' | 'get'> = { get: client.get, create: refuse };
  const loaded = await loadDigestKey({
    client: reader,
    namespace,
    clock,
    logger: silentLogger,
    mode,
    signal,
  });
  // One of our own making compares with nothing.
  return loaded.place === 'process' ? { ...loaded, key: undefined, keyId: undefined } : loaded;
}
