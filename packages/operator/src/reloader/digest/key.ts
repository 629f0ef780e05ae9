/**
 * The key of this installation, by which digests of Secrets are keyed.
 *
 * In: a client that may create one Secret in the operator's namespace. Out: the key, a name for it, and since when we
 * are installed. The first replica to start creates it; all others, and every later start, read it. Where that is not
 * permitted there is no key, and digests of Secrets are plain hashes.
 *
 * The Secret's creation is the time of the installation. Without the Secret it is the creation of our history, which
 * the first run writes; and on that first run it is now, so that everything that exists counts as older than us and is
 * adopted, never restarted.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  AlreadyExistsError,
  type Client,
  type Clock,
  ForbiddenError,
  type KubernetesObject,
  kinds,
  type Logger,
  NotFoundError,
  type ResourceType,
} from '@reloader/runtime';
import type { DigestKey } from './framed.ts';
import { secondsOf } from './written-at.ts';

export const DIGEST_KEY_SECRET = 'reloader-digest-key';
const HISTORY_CONFIG_MAP = 'reloader-history';
const FIELD = 'key';
const BYTES = 32;
const LEAST_BYTES = 16;

export interface DigestKeyOptions {
  readonly client: Pick<Client, 'create' | 'get'>;
  /** The operator's own. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mode: 'keyed' | 'sha1';
  readonly signal?: AbortSignal;
}

export interface LoadedDigestKey {
  readonly key: DigestKey | undefined;
  /** Tells keys apart without telling anything about them. */
  readonly keyId: string | undefined;
  /** Seconds since the epoch. */
  readonly installedAt: number;
}

/** The Secret is there and holds no usable key. */
export class DigestKeyError extends Error {
  override name = 'DigestKeyError';
}

export async function loadDigestKey(options: DigestKeyOptions): Promise<LoadedDigestKey> {
  const { namespace, logger, mode } = options;
  const secret =
    mode === 'keyed' ? await createOrRead(options) : await readable(options, kinds.Secret, DIGEST_KEY_SECRET);
  const installedAt = secondsOf(secret?.metadata.creationTimestamp) || (await withoutSecret(options));
  if (mode === 'sha1') return { key: undefined, keyId: undefined, installedAt };
  if (!secret) {
    logger.warn(
      'Digests of Secrets are plain hashes, which short values do not hide: allow the operator to create and get this Secret',
      { namespace, name: DIGEST_KEY_SECRET },
    );
    return { key: undefined, keyId: undefined, installedAt };
  }
  const key = Buffer.from(secret.data?.[FIELD] ?? '', 'base64');
  if (key.length < LEAST_BYTES) {
    throw new DigestKeyError(
      `Secret ${namespace}/${DIGEST_KEY_SECRET} has no usable "${FIELD}": delete it and a new one is made at the next start; nothing restarts because of that`,
    );
  }
  return { key, keyId: idOf(key), installedAt };
}

async function createOrRead(options: DigestKeyOptions) {
  const { client, namespace, signal } = options;
  try {
    return await client.create(
      kinds.Secret,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: DIGEST_KEY_SECRET,
          namespace,
          labels: { 'app.kubernetes.io/managed-by': 'reloader' },
        },
        type: 'Opaque',
        data: { [FIELD]: randomBytes(BYTES).toString('base64') },
      },
      signal ? { signal } : {},
    );
  } catch (error) {
    const exists = error instanceof AlreadyExistsError;
    // Somebody else may have made it for us where we may only read. No such namespace: we run outside of the cluster.
    if (!exists && !(error instanceof ForbiddenError) && !(error instanceof NotFoundError)) throw error;
    return readable(options, kinds.Secret, DIGEST_KEY_SECRET);
  }
}

async function withoutSecret(options: DigestKeyOptions): Promise<number> {
  const history = await readable(options, kinds.ConfigMap, HISTORY_CONFIG_MAP);
  return secondsOf(history?.metadata.creationTimestamp) || Math.floor(options.clock.now() / 1000);
}

/** Undefined where it is not there, or we may not know. */
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
