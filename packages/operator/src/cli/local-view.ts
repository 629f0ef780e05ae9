/**
 * A view of the cluster without the operator: everything is read once with the caller's own rights, and decided by the
 * engine's own functions.
 *
 * In: a connection, and the relevant namespaces. Out: a ClusterView, and sentences about what it cannot know: the
 * operator's memory, the digest key, Secrets that the caller may not read. Guarantees: it writes nothing.
 */
import {
  ApiError,
  type Client,
  type Clock,
  ForbiddenError,
  listAll,
  NotFoundError,
  silentLogger,
} from '@reloader/runtime';
import type { ClusterView } from '../api/cluster-view.ts';
import { keyIdOf } from '../api/dry-run.ts';
import { peersIn } from '../known-workloads.ts';
import { DIGEST_KEY_NAME, type LoadedDigestKey, loadDigestKey } from '../reloader/digest/key.ts';
import { ContentVerdicts } from '../reloader/evidence/contents.ts';
import { lookAtPods } from '../reloader/evidence/pods.ts';
import { FailedContents } from '../reloader/ledger/failed-contents.ts';
import type { ParsedNote } from '../reloader/ledger/note.ts';
import { NO_SLOTS } from '../reloader/model/budget.ts';
import type { ConfigFacts } from '../reloader/model/config.ts';
import type { FailuresOf } from '../reloader/model/failed-content.ts';
import { ReloaderConfigs, Secrets } from '../reloader/model/kinds.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import { refOf, type WorkloadRef } from '../reloader/model/workload.ts';
import { readNotes } from '../reloader/notebook/read.ts';
import { configFacts } from '../reloader/project/config-projection.ts';
import { createWatch, surveyServer, type Watch } from '../reloader/watch/watch.ts';
import { inlineChecker } from '../validate/checker.ts';
import type { CommandIO } from './command-io.ts';
import { installedSettings } from './installed.ts';

export interface LocalView {
  readonly clusterView: ClusterView;
  /** The basis of the answer and its limits: at most two sentences. */
  readonly limits: readonly string[];
  /** There is no operator: the answer is what an operator would do. */
  readonly isBeforeInstallation: boolean;
  close(): Promise<void>;
}

export interface LocalOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly operatorNamespace?: string;
  /** The reason why the operator was not asked. */
  readonly unreachable: string;
  /** Before the installation the current content counts as recorded, because the question is about the next change. */
  readonly isAboutAChange?: boolean;
}

export async function openLocalView(
  { client, namespace, operatorNamespace, unreachable, isAboutAChange = false }: LocalOptions,
  { clock, signal }: CommandIO,
): Promise<LocalView> {
  const installed = await installedSettings(client, operatorNamespace, signal);
  const given = installed.settings.reloader;
  const namespaces = await namespacesThatMatter(client, namespace, given, signal);
  const settings: ReloaderSettings = { ...given, namespaces };
  const key = await digestKey(client, given, clock, signal);
  const survey = await surveyServer({ client, settings, logger: silentLogger }, signal);
  const watch = createWatch({
    ...survey,
    client,
    settings,
    clock,
    logger: silentLogger,
    digestKey: key.key,
    previousDigestKey: key.previous?.key,
  });
  const stop = new AbortController();
  const ended = run(watch, AbortSignal.any([signal, stop.signal]));
  await watch.whenSynced(signal);
  const notes = await readNotes(client, given.operatorNamespace, signal);
  const comparesSecrets = given.digest === 'sha1' || key.key !== undefined;
  const keySecret = comparesSecrets ? 'readable' : await keyAccess(client, given, signal);
  const isBeforeInstallation = !installed.isSeen && keySecret === 'absent';
  const contents = new ContentVerdicts({
    client,
    checker: inlineChecker,
    projection: { names: given.names, key: key.key },
    now: () => clock.now(),
  });
  const clusterView: ClusterView = {
    world: watch.world,
    settings,
    now: () => clock.now(),
    install: (workload) => ({
      at: key.installedAt,
      keyId: key.keyId ?? keyIdOf(workload, notes?.(refOf(workload))),
      previousKeyId: key.previous?.keyId,
    }),
    note: (ref) => notes?.(ref),
    memory: () => undefined,
    lastError: () => undefined,
    notes: () => [],
    history: () => undefined,
    slots: () => NO_SLOTS,
    failures: failuresIn(watch, notes),
    peers: peersIn(watch),
    verdictOn: (question) => contents.known(question),
    checkContents: (questions, each) => contents.check(questions, each),
    following: () => undefined,
    blocked: () => undefined,
    workloads: (asked) =>
      [...watch.workloadInformers.values()].flatMap(({ store }) => [...store.list(asked)]),
    affected: (ref, labels) => watch.affected.bySource(ref, [labels]) as WorkloadRef[],
    lookAtPods: (workload, why, each) => lookAtPods(client, workload, why, each),
    isOperator: false,
    comparesSecrets,
  };
  return {
    clusterView,
    isBeforeInstallation,
    limits: isBeforeInstallation
      ? [
          'The operator is not installed: this is what it would do, with its default flags',
          ...secretsUnread(watch),
        ]
      : [
          `The operator was not asked: this is computed here, with ${installed.from}. Why it was not asked: ${unreachable}`,
          `Not known here: ${unknownsOf({ watch, settings: given, keySecret, isAboutAChange, notesAreRead: notes !== undefined }).join('; ')}`,
        ],
    async close() {
      stop.abort(new Error('the command has ended'));
      await ended;
    },
  };
}

/** Computed from the notes at the first request. */
function failuresIn(watch: Watch, notes: ((ref: WorkloadRef) => ParsedNote) | undefined): FailuresOf {
  let contents: FailedContents | undefined;
  return (content) => {
    if (!contents) {
      contents = new FailedContents();
      for (const { store } of watch.workloadInformers.values()) {
        for (const workload of store.list()) {
          const note = notes?.(refOf(workload));
          const isOwn = note?.kind === 'note' && note.note.record.uid === workload.metadata.uid;
          if (isOwn) contents.set(refOf(workload), note.note);
        }
      }
    }
    return contents.of(content);
  };
}

function secretsUnread({ access }: Watch): readonly string[] {
  return access.maySomewhere('list', Secrets)
    ? []
    : ['You may not list Secrets here, so nothing is known of them'];
}

/** Each completes a sentence. */
function unknownsOf({
  watch,
  settings: { mode, operatorNamespace },
  keySecret,
  isAboutAChange,
  notesAreRead,
}: {
  readonly watch: Watch;
  readonly settings: ReloaderSettings;
  readonly keySecret: KeyAccess;
  readonly isAboutAChange: boolean;
  readonly notesAreRead: boolean;
}): readonly string[] {
  const waiting =
    mode === 'observe'
      ? 'what workloads were last rolled out with, which in observe mode only the operator knows'
      : notesAreRead
        ? 'what the operator saw since its last note'
        : `what was recorded, because the notebook (ConfigMaps reloader-notes-… in namespace ${operatorNamespace}) is not yours to list`;
  if (!watch.access.maySomewhere('list', Secrets)) return [waiting, 'Secrets, which you may not list here'];
  if (keySecret === 'readable' || isAboutAChange) return [waiting];
  const why = keySecret === 'absent' ? 'does not exist' : 'is not yours to read';
  const key = `the digest key (Secret ${operatorNamespace}/${DIGEST_KEY_NAME})`;
  return [waiting, `whether Secrets changed, because ${key} ${why}`];
}

type KeyAccess = 'readable' | 'absent' | 'forbidden';

async function keyAccess(
  client: Client,
  { operatorNamespace: namespace }: ReloaderSettings,
  signal: AbortSignal,
): Promise<KeyAccess> {
  try {
    await client.get(Secrets, { namespace, name: DIGEST_KEY_NAME }, { signal });
    return 'readable';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error instanceof NotFoundError ? 'absent' : 'forbidden';
  }
}

/** Runs until the signal aborts; errors after that are ignored. */
async function run(watch: Watch, signal: AbortSignal): Promise<void> {
  const signals = { stopping: signal, abort: signal };
  await Promise.allSettled(watch.runnables.map((runnable) => runnable.start(signals)));
}

/** Empty for all. Avoids reading every Secret of a cluster for one workload. */
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
  // Named namespaces would override the settings that exclude some, and excluded ones would seem to be watched.
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

/** For callers who may read it: then Secrets are compared as the operator does. Nothing is created. */
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
  // A key that was generated in this process compares with no record.
  return loaded.place === 'process' ? { ...loaded, key: undefined, keyId: undefined } : loaded;
}
