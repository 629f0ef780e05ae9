/**
 * The history of everything that was stored, read from etcd itself.
 *
 * In: a control plane whose API server stores JSON and never compacts (`HISTORY_FLAGS`). Out: every version of every
 * object in the given namespaces, in the order in which they were stored.
 *
 * Guarantees that no version is missing, even if the API server or etcd is killed: the watches of the API server lose
 * history when it is killed, those of etcd do not, and after a kill of etcd the stream resumes where it ended.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../control-plane/control-plane.ts';

export const HISTORY_FLAGS = ['--storage-media-type=application/json', '--etcd-compaction-interval=0'];

export interface StoredObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly managedFields?: readonly { readonly time?: string }[];
  };
  readonly [field: string]: unknown;
}

export interface Version {
  readonly revision: number;
  /** The revision at which the object was created. */
  readonly created: number;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined where the object was deleted. */
  readonly object: StoredObject | undefined;
}

interface EtcdEvent {
  readonly type?: 'DELETE';
  readonly kv: {
    readonly key: string;
    readonly value?: string;
    readonly mod_revision: string;
    readonly create_revision?: string;
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const decoded = (text: string): string => Buffer.from(text, 'base64').toString();

/** Calls `onVersion` for every version from the first on, until the signal aborts. */
export async function followEtcd(
  cluster: ControlPlane,
  namespaces: readonly string[],
  onVersion: (version: Version) => void,
  signal: AbortSignal,
): Promise<void> {
  const address = await etcdAddress(cluster);
  let next = 1;
  const onNext = (version: Version): void => {
    next = version.revision + 1;
    onVersion(version);
  };
  while (!signal.aborted) {
    await followOnce(address, next, new Set(namespaces), onNext, signal).catch((error: unknown) => {
      if (signal.aborted || error instanceof EtcdError) throw error;
    });
    await delay(AGAIN_MS, undefined, { signal });
  }
}

/** An error that etcd reports: the stream cannot be resumed. */
class EtcdError extends Error {
  override name = 'EtcdError';
}

const AGAIN_MS = 50;

/**
 * A transaction may write several objects at one revision. They come in one message, so the stream can resume at the
 * next revision.
 */
async function followOnce(
  address: string,
  from: number,
  wanted: ReadonlySet<string>,
  onVersion: (version: Version) => void,
  signal: AbortSignal,
): Promise<void> {
  const watch = {
    create_request: {
      key: base64('/registry/'),
      range_end: base64('/registry0'),
      start_revision: String(from),
    },
  };
  const { body } = await fetch(`${address}/v3/watch`, {
    method: 'POST',
    body: JSON.stringify(watch),
    signal,
  });
  if (body === null) throw new Error('etcd gave no stream of events');
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = `${rest}${decoder.decode(chunk as Uint8Array, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter((text) => text !== '')) {
      const { result, error } = JSON.parse(line) as { result?: { events?: EtcdEvent[] }; error?: unknown };
      if (error !== undefined)
        throw new EtcdError(`etcd ended its stream of events: ${JSON.stringify(error)}`);
      for (const event of result?.events ?? []) {
        const version = versionOf(event, wanted);
        if (version !== undefined) onVersion(version);
      }
    }
  }
}

/** Undefined for a key that is not an object in one of the namespaces. */
function versionOf({ type, kv }: EtcdEvent, namespaces: ReadonlySet<string>): Version | undefined {
  // Custom resources and some built-in ones have their group in the key: /registry/GROUP/PLURAL/NAMESPACE/NAME.
  const parts = decoded(kv.key).split('/').slice(2);
  const [plural, namespace, name] = parts.length === 4 ? parts.slice(1) : parts;
  if (plural === undefined || namespace === undefined || name === undefined) return undefined;
  if (!namespaces.has(namespace)) return undefined;
  const revision = Number(kv.mod_revision);
  const deleted = type === 'DELETE' || kv.value === undefined;
  return {
    revision,
    created: Number(kv.create_revision ?? revision),
    plural,
    namespace,
    name,
    object: deleted ? undefined : (JSON.parse(decoded(kv.value ?? '')) as StoredObject),
  };
}

/** Read from etcd's command line, because the control plane does not expose it. */
async function etcdAddress(cluster: ControlPlane): Promise<string> {
  const flag = '--listen-client-urls=';
  const commandLine = await readFile(`/proc/${cluster.pid('etcd')}/cmdline`, 'utf8');
  const found = commandLine.split('\0').find((argument) => argument.startsWith(flag));
  if (found === undefined) throw new Error(`etcd was started without ${flag}`);
  return found.slice(flag.length);
}
