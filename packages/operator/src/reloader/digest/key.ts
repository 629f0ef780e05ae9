/**
 * The digest key of this installation, for digests of Secrets.
 *
 * In: a client, the operator's namespace. Out: the key, its id, where it is stored, and the time of the installation.
 * Guarantees: digests of Secrets are keyed unless `--digest=sha1` explicitly asks for plain ones. The key is stored
 * - in a Secret, if we may create or read one: the first replica to start creates it; all others, and every later
 *   start, read it;
 * - else in a ConfigMap of the same name. More users can read that, and could guess short values with the key;
 * - else in this process only: after a restart no digest of a Secret can be compared, and the ages of pods decide.
 * The last two are logged as warnings. A key that `reloader rotate-key` replaced is kept beside the new one, so that
 * records made with it can still be compared. With `--digest=sha1` no digest is keyed, and the Secret is created all
 * the same: its key authenticates the manifests of Jobs that the operator keeps.
 *
 * The creation of that object is the time of the installation. Without it, the creation of our history counts, which
 * the first run writes; on that first run it is the current time, so that every existing workload is older than the
 * installation and is adopted, never restarted.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  AlreadyExistsError,
  ApiError,
  type Client,
  type Clock,
  ForbiddenError,
  type KubernetesObject,
  kinds,
  type Logger,
  NotFoundError,
  type ResourceType,
  type Stored,
} from '@reloader/runtime';
import type { KeyPlace } from '../model/key-place.ts';
import type { DigestKey } from './framed.ts';
import { secondsOf } from './written-at.ts';

/** Name of the Secret, or of the ConfigMap if we may not use a Secret. */
export const DIGEST_KEY_NAME = 'reloader-digest-key';
export const KEY_FIELD = 'key';
/** The field of the old key after a rotation. */
export const PREVIOUS_KEY_FIELD = 'previous-key';
const HISTORY_CONFIG_MAP = 'reloader-history';
const BYTES = 32;
const LEAST_BYTES = 16;

export interface DigestKeyOptions {
  readonly client: Pick<Client, 'create' | 'get'>;
  /** The operator's own namespace. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mode: 'keyed' | 'sha1';
  /** Nothing is created before this resolves; undefined: the API server is assumed to be ready. */
  readonly ready?: Promise<unknown>;
  readonly signal?: AbortSignal;
}

export interface NamedKey {
  readonly key: DigestKey;
  /** Identifies a key without revealing anything about it. */
  readonly keyId: string;
}

/** Keys for signatures that the next process must verify. A key kept in this process only is not used for them. */
export interface CodeKeys {
  readonly key: DigestKey | undefined;
  readonly previous: DigestKey | undefined;
}

export interface LoadedDigestKey {
  readonly key: DigestKey | undefined;
  readonly keyId: string | undefined;
  /** The key before the last rotation. */
  readonly previous: NamedKey | undefined;
  readonly place: KeyPlace;
  /** For the manifests that we keep; present also if digests are plain. */
  readonly codes: CodeKeys;
  /** Seconds since the epoch. */
  readonly installedAt: number;
}

/** The object exists and contains no usable key. */
export class DigestKeyError extends Error {
  override name = 'DigestKeyError';
}

const NO_CODES: CodeKeys = { key: undefined, previous: undefined };

export async function loadDigestKey(options: DigestKeyOptions): Promise<LoadedDigestKey> {
  if (options.mode === 'sha1') return withoutKey(options);
  const kept = await keptKey(options);
  if (kept) return kept;
  options.logger.warn(
    'The digest key is kept in memory only, so after each restart it has to be found out from the pods which Secrets they have seen: allow the operator to create and get this Secret, or this ConfigMap',
    { namespace: options.namespace, name: DIGEST_KEY_NAME },
  );
  const key = newKey();
  const installedAt = await historyTime(options);
  return { ...named(key), previous: undefined, place: 'process', codes: NO_CODES, installedAt };
}

export function newKey(): Buffer {
  return randomBytes(BYTES);
}

async function withoutKey(options: DigestKeyOptions): Promise<LoadedDigestKey> {
  const [known, mayCreate, history] = await Promise.all([
    readable(options, kinds.Secret, DIGEST_KEY_NAME),
    mayCreateSecrets(options),
    historyTime(options),
  ]);
  const secret = known ?? (mayCreate && (await createOrRead(options, kinds.Secret, newSecret(options))));
  const codes = secret ? (await keyIn(secret, 'secret', options)).codes : NO_CODES;
  // The history of an older installation may be older than this Secret.
  const installedAt = Math.min(
    secondsOf((secret || undefined)?.metadata.creationTimestamp) || history,
    history,
  );
  return { key: undefined, keyId: undefined, previous: undefined, place: 'none', codes, installedAt };
}

async function keptKey(options: DigestKeyOptions): Promise<LoadedDigestKey | undefined> {
  const { namespace, logger } = options;
  // In parallel: with a distant API server each answer takes long, and no Secret is read before the key is known.
  const [known, knownMap, mayCreate] = await Promise.all([
    readable(options, kinds.Secret, DIGEST_KEY_NAME),
    readable(options, kinds.ConfigMap, DIGEST_KEY_NAME),
    mayCreateSecrets(options),
  ]);
  const secret = known ?? (mayCreate && (await createOrRead(options, kinds.Secret, newSecret(options))));
  if (secret) return keyIn(secret, 'secret', options);
  const { metadata, data } = newSecret(options);
  const map =
    knownMap ??
    (await createOrRead(options, kinds.ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }));
  if (!map) return undefined;
  logger.warn(
    'The digest key stands in a ConfigMap: everybody who may read it can guess short values of Secrets by their digests, and everybody who may also write ConfigMaps there can have the operator create any Job. Allow the operator to create and get a Secret of this name, then run "reloader rotate-key"',
    { namespace, name: DIGEST_KEY_NAME },
  );
  return keyIn(map, 'config-map', options);
}

function newSecret({ namespace }: DigestKeyOptions) {
  const metadata = {
    name: DIGEST_KEY_NAME,
    namespace,
    labels: { 'app.kubernetes.io/managed-by': 'reloader' },
  };
  const data = { [KEY_FIELD]: newKey().toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
}

type KeyHolder = KubernetesObject & { data?: Readonly<Record<string, string>> };

async function keyIn(
  holder: Stored<KeyHolder>,
  place: 'secret' | 'config-map',
  options: DigestKeyOptions,
): Promise<LoadedDigestKey> {
  const installedAt = secondsOf(holder.metadata.creationTimestamp) || (await historyTime(options));
  const key = bytesIn(holder, KEY_FIELD);
  if (!key) {
    const what = `${place === 'secret' ? 'Secret' : 'ConfigMap'} ${options.namespace}/${DIGEST_KEY_NAME}`;
    throw new DigestKeyError(
      `${what} has no usable "${KEY_FIELD}": delete it and a new one is made at the next start; nothing restarts because of that`,
    );
  }
  const before = bytesIn(holder, PREVIOUS_KEY_FIELD);
  const codes = { key, previous: before };
  return { ...named(key), previous: before && named(before), place, codes, installedAt };
}

function bytesIn({ data }: KeyHolder, field: string): Buffer | undefined {
  const text = data?.[field];
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  return bytes.length < LEAST_BYTES ? undefined : bytes;
}

function named(key: Buffer): NamedKey {
  return { key, keyId: idOf(key) };
}

/** Also true if the review fails: the request itself will show it. */
async function mayCreateSecrets({ client, namespace, signal }: DigestKeyOptions): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: { verb: 'create', group: '', version: 'v1', resource: 'secrets', namespace },
    },
  };
  try {
    const { status } = await client.create(kinds.SelfSubjectAccessReview, review, signal ? { signal } : {});
    return status?.allowed ?? true;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ApiError) return true;
    throw error;
  }
}

async function createOrRead<T extends KubernetesObject>(
  options: DigestKeyOptions,
  type: ResourceType<T>,
  object: T,
): Promise<Stored<T> | undefined> {
  const { client, signal, ready } = options;
  // A server that has just started refuses requests that it allows a moment later.
  await ready;
  try {
    return await client.create(type, object, signal ? { signal } : {});
  } catch (error) {
    const exists = error instanceof AlreadyExistsError;
    // If we may only read, a user may have created it. NotFound: the operator runs outside of the cluster.
    if (!exists && !(error instanceof ForbiddenError) && !(error instanceof NotFoundError)) throw error;
    return readable(options, type, DIGEST_KEY_NAME);
  }
}

async function historyTime(options: DigestKeyOptions): Promise<number> {
  const history = await readable(options, kinds.ConfigMap, HISTORY_CONFIG_MAP);
  return secondsOf(history?.metadata.creationTimestamp) || Math.floor(options.clock.now() / 1000);
}

/** Undefined if the object does not exist or we may not read it. */
async function readable<T extends KubernetesObject>(
  { client, namespace, signal }: DigestKeyOptions,
  type: ResourceType<T>,
  name: string,
) {
  try {
    return await client.get(type, { namespace, name }, signal ? { signal } : {});
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function idOf(key: DigestKey): string {
  return createHash('sha256').update('reloader/key-id\0').update(key).digest('base64url').slice(0, 8);
}
