/**
 * One collection of one kind on a fake API server, for tests of reflector and cache.
 *
 * In: writes (`put`, `remove`) and faults. Out: the part of `Client` that a reflector uses, and a record of requests
 * and their times. It keeps its whole history, so that front ends can lag and watches can start anywhere. It waits
 * only on the given clock.
 */
import type {
  ListOptions,
  ObjectList,
  TakesEvent,
  WatchEvent,
  WatchOptions,
  WatchStream,
} from '../client/client.ts';
import { apiErrorFrom, ConnectionError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import { type Clock, sleep, type Timer } from '../clock/clock.ts';
import type { KubernetesObject, ListMeta, ObjectMeta, Stored } from '../model/types.ts';

export interface Item extends KubernetesObject {
  data?: Record<string, string>;
}

export const ITEMS: ResourceType<Item> = {
  group: 'test.example',
  version: 'v1',
  kind: 'Item',
  plural: 'items',
  namespaced: true,
};

export type Verb = 'list' | 'watch' | 'watch-list';
export type Fault = Error | 'hang';

export interface Asked {
  readonly at: number;
  readonly verb: Verb;
  readonly options: ListOptions & WatchOptions;
}

interface Change {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored<Item>;
}

export class FakeServer {
  readonly clock: Clock;
  revision = 100;
  /** How many revisions the answering front end lags. */
  lag = 0;
  /** Quorum reads lag as well: no real server does that. */
  lyingQuorum = false;
  watchLists: 'yes' | 'unsupported' | 'endless' = 'yes';
  /** Without a watch cache, lists of version "0" are paged like any other. */
  watchCache = true;
  bookmarkEveryMs = 60_000;
  /** Delay of a list. */
  pauseBetweenItemsMs = 0;
  readonly forbidden = new Set<string>();
  readonly asked: Asked[] = [];
  readonly streams = new Set<FakeStream>();
  /** Called before every request; its return value replaces the answer. */
  outage: (verb: Verb, options: ListOptions & WatchOptions) => Fault | undefined = () => undefined;
  readonly #faults: { verb: Verb; fault: Fault }[] = [];
  #history: Change[] = [];
  #oldest = 0;
  #uids = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The next request of this verb fails, or hangs until it is aborted. */
  failNext(verb: Verb, ...faults: Fault[]): void {
    for (const fault of faults) this.#faults.push({ verb, fault });
  }

  put(key: string, value = '', meta: ObjectMeta = {}): Stored<Item> {
    const current = this.objects().get(key);
    const slash = key.indexOf('/');
    const object: Stored<Item> = {
      apiVersion: 'test.example/v1',
      kind: 'Item',
      metadata: {
        ...meta,
        namespace: key.slice(0, slash),
        name: key.slice(slash + 1),
        uid: current?.metadata.uid ?? `uid-${++this.#uids}`,
        resourceVersion: String(++this.revision),
      },
      data: { value },
    };
    this.#record(current ? 'MODIFIED' : 'ADDED', object);
    return structuredClone(object);
  }

  remove(key: string): void {
    const current = this.objects().get(key);
    if (!current) return;
    const metadata = { ...current.metadata, resourceVersion: String(++this.revision) };
    this.#record('DELETED', { ...current, metadata });
  }

  /** Another object of the cluster was written. */
  tick(revisions = 1): void {
    this.revision += revisions;
  }

  /** Versions and continue tokens before now expire. */
  compact(): void {
    this.#oldest = this.revision;
  }

  /** As after a restore from a backup: removes everything after `revision`. */
  rollBack(revision: number): void {
    this.#history = this.#history.filter((change) => change.revision <= revision);
    this.revision = revision;
    this.cut('lost');
  }

  objects(revision = this.revision): Map<string, Stored<Item>> {
    const state = new Map<string, Stored<Item>>();
    for (const change of this.#history) {
      if (change.revision > revision) break;
      const { namespace, name } = change.object.metadata;
      if (change.type === 'DELETED') state.delete(`${namespace}/${name}`);
      else state.set(`${namespace}/${name}`, change.object);
    }
    return state;
  }

  get front(): number {
    return this.revision - this.lag;
  }

  /** Ends every stream: cleanly, by a lost connection, or by silence. */
  cut(how: 'eof' | 'lost' | 'silent' | Error): void {
    for (const stream of [...this.streams]) {
      if (how === 'silent') stream.silent = true;
      else if (how === 'eof') stream.end();
      else stream.end(how === 'lost' ? new ConnectionError('The connection was lost') : how);
    }
  }

  bookmark(): void {
    for (const stream of this.streams) stream.bookmark(this.front);
  }

  /** Sends the last changes once more, as a front end might that lost its position. */
  stutter(changes: number): void {
    for (const stream of this.streams) {
      for (const change of this.#history.filter(({ revision }) => revision <= stream.sent).slice(-changes))
        stream.data(change.type, change.object);
    }
  }

  /** Lets streams catch up after `lag` was reduced. */
  catchUp(): void {
    for (const stream of this.streams) this.#feed(stream);
  }

  async listEach<T extends KubernetesObject>(
    _type: ResourceType<T>,
    onItem: (item: Stored<T>) => void,
    options: ListOptions = {},
  ): Promise<ListMeta> {
    await this.#admit('list', options);
    const token = options.continue?.split(':');
    const revision = token ? Number(token[0]) : this.#revisionFor(options);
    if (token && revision < this.#oldest) throw expired();
    const items = [...this.objects(revision)]
      .filter(([, object]) => !options.namespace || object.metadata.namespace === options.namespace)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const cached = this.watchCache && options.resourceVersion === '0';
    const begin = Number(token?.[1] ?? 0);
    const end = options.limit && !cached ? begin + options.limit : items.length;
    for (const [, item] of items.slice(begin, end)) {
      if (this.pauseBetweenItemsMs > 0) await sleep(this.clock, this.pauseBetweenItemsMs, options.signal);
      const { apiVersion: _, kind: __, ...rest } = structuredClone(item);
      // The generic client returns the type that the caller names; here there is only one.
      onItem(rest as unknown as Stored<T>);
    }
    const meta: ListMeta = { resourceVersion: String(revision) };
    return end < items.length ? { ...meta, continue: `${revision}:${end}` } : meta;
  }

  async list<T extends KubernetesObject>(
    type: ResourceType<T>,
    options: ListOptions = {},
  ): Promise<ObjectList<T>> {
    const items: Stored<T>[] = [];
    const metadata = await this.listEach(type, (item) => items.push(item), options);
    return { metadata, items };
  }

  async watch<T extends KubernetesObject>(
    _type: ResourceType<T>,
    options: WatchOptions = {},
  ): Promise<WatchStream<T>> {
    const initial = options.sendInitialEvents === true;
    await this.#admit(initial ? 'watch-list' : 'watch', options);
    if (initial && this.watchLists === 'unsupported') throw apiErrorFrom({ code: 422, reason: 'Invalid' });
    const from = initial ? this.#revisionFor(options) : Number(options.resourceVersion ?? 0);
    if (from > this.front && !initial) throw tooLarge();
    const stream = new FakeStream(this, options, from);
    if (!initial && from < this.#oldest) stream.end(expired());
    if (initial) this.#sendState(stream, from);
    this.#feed(stream);
    return stream as WatchStream<KubernetesObject> as WatchStream<T>;
  }

  /** Every collection has its own namespace here, so that one can be forbidden alone. */
  async #admit(verb: Verb, options: ListOptions & WatchOptions): Promise<void> {
    const { signal, ...rest } = options;
    this.asked.push({ at: this.clock.monotonic(), verb, options: rest });
    signal?.throwIfAborted();
    const planned = this.#faults.findIndex((entry) => entry.verb === verb);
    const fault = planned < 0 ? this.outage(verb, options) : this.#faults.splice(planned, 1)[0]?.fault;
    if (fault === 'hang') await aborted(signal);
    else if (fault) throw fault;
    if (this.forbidden.has(options.namespace ?? '')) throw apiErrorFrom({ code: 403, reason: 'Forbidden' });
  }

  #revisionFor(options: ListOptions): number {
    const { resourceVersion = '' } = options;
    if (resourceVersion === '') return this.lyingQuorum ? this.front : this.revision;
    if (Number(resourceVersion) > this.front) throw tooLarge();
    if (options.resourceVersionMatch === 'Exact') {
      if (Number(resourceVersion) < this.#oldest) throw expired();
      return Number(resourceVersion);
    }
    return this.front;
  }

  #sendState(stream: FakeStream, revision: number): void {
    // Synthetic events come in no particular order of versions.
    for (const object of [...this.objects(revision).values()].reverse()) stream.data('ADDED', object);
    if (this.watchLists === 'yes') stream.bookmark(revision, true);
  }

  #record(type: Change['type'], object: Stored<Item>): void {
    this.#history.push({ revision: this.revision, type, object });
    for (const stream of this.streams) this.#feed(stream);
  }

  #feed(stream: FakeStream): void {
    for (const change of this.#history) {
      if (change.revision <= stream.sent || change.revision > this.front) continue;
      stream.sent = change.revision;
      stream.data(change.type, change.object);
    }
  }
}

type Takes = TakesEvent<Item> | undefined;

export class FakeStream implements AsyncIterableIterator<WatchEvent<Item>, undefined, Takes> {
  /** The stream goes silent without an end. */
  silent = false;
  sent: number;
  readonly #server: FakeServer;
  readonly #options: WatchOptions;
  readonly #queue: WatchEvent<Item>[] = [];
  readonly #timers: Timer[] = [];
  #waiting:
    | { resolve(result: IteratorResult<WatchEvent<Item>, undefined>): void; reject(error: unknown): void }
    | undefined;
  #takes: Takes;
  #ended: { error?: unknown } | undefined;
  readonly #onAbort = (): void => this.end(this.#options.signal?.reason ?? new Error('Aborted'), true);

  constructor(server: FakeServer, options: WatchOptions, from: number) {
    this.#server = server;
    this.#options = options;
    this.sent = from;
    server.streams.add(this);
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#scheduleBookmark();
    const { timeoutSeconds } = options;
    if (timeoutSeconds) this.#timers.push(server.clock.setTimeout(() => this.end(), timeoutSeconds * 1000));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(takes?: Takes): Promise<IteratorResult<WatchEvent<Item>, undefined>> {
    this.#takes = takes;
    let value = this.#queue.shift();
    while (value && takes?.(value)) value = this.#queue.shift();
    if (value) return Promise.resolve({ value, done: false });
    if (this.#ended?.error) return Promise.reject(this.#ended.error);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  data(type: Change['type'], object: Stored<Item>): void {
    const { namespace } = this.#options;
    if (!namespace || object.metadata.namespace === namespace)
      this.#push({ type, object: structuredClone(object) });
  }

  bookmark(revision: number, initialEventsEnd = false): void {
    this.#push({ type: 'BOOKMARK', resourceVersion: String(revision), initialEventsEnd });
  }

  /** Queued events are still read, unless the reader itself gave up. */
  end(error?: unknown, atOnce = false): void {
    if (this.#ended || (this.silent && !atOnce)) return;
    this.#ended = error === undefined ? {} : { error };
    if (atOnce) this.#queue.length = 0;
    this.#server.streams.delete(this);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    for (const timer of this.#timers) timer.cancel();
    if (error === undefined) this.#waiting?.resolve({ value: undefined, done: true });
    else this.#waiting?.reject(error);
  }

  #push(value: WatchEvent<Item>): void {
    if (this.silent || this.#ended) return;
    if (!this.#waiting) {
      this.#queue.push(value);
      return;
    }
    if (this.#takes?.(value)) return;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve({ value, done: false });
  }

  #scheduleBookmark(): void {
    if (!this.#options.allowWatchBookmarks) return;
    this.#timers[0]?.cancel();
    this.#timers[0] = this.#server.clock.setTimeout(() => {
      if (!this.#ended) this.bookmark(this.#server.front);
      this.#scheduleBookmark();
    }, this.#server.bookmarkEveryMs);
  }
}

export function expired(): Error {
  return apiErrorFrom({ code: 410, reason: 'Expired', message: 'too old resource version' });
}

export function tooLarge(): Error {
  const details = { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] };
  return apiErrorFrom({ code: 504, reason: 'Timeout', message: 'Too large resource version', details });
}

export function throttled(retryAfterSeconds?: number): Error {
  const details = retryAfterSeconds ? { retryAfterSeconds } : {};
  return apiErrorFrom({ code: 429, reason: 'TooManyRequests', details });
}

export function serverError(): Error {
  return apiErrorFrom({ code: 500, reason: 'InternalError', message: 'etcd is unhappy' });
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
