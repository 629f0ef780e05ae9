/**
 * Records a run: every request with its answer's status, and every stored change, in order.
 *
 * In: requests (as middleware) and the store's events. Out: entries for checkers, and text that `replay` can run
 * again. Bodies of writes are recorded as received; answers are not, since the stored changes show their effect.
 */
import type { Clock } from '@reloader/runtime';
import type { KubeObject } from '../model/object.ts';
import { type ApiRequest, decodeText, type Handler, type Middleware } from '../request/request.ts';
import type { StoredEvent } from '../storage/event-log.ts';
import type { Store } from '../storage/store.ts';

/** A request and its answer, as they were recorded. */
export interface RequestEntry {
  readonly kind: 'request';
  readonly number: number;
  /** Monotonic milliseconds when it arrived. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Undefined while the request runs, or if the connection was lost. */
  status: number | undefined;
}

/** A change of the stored objects, as it was recorded. */
export interface ChangeEntry {
  readonly kind: 'change';
  readonly at: number;
  readonly type: StoredEvent['type'];
  readonly revision: number;
  readonly resource: string;
  readonly key: string;
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

/** An entry of a history. */
export type HistoryEntry = RequestEntry | ChangeEntry;

/**
 * Everything that was asked, answered and stored, in order: to check afterwards and to replay.
 *
 * @experimental
 */
export class History {
  readonly #clock: Clock;
  readonly #entries: HistoryEntry[] = [];
  #requests = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  get requests(): RequestEntry[] {
    return this.#entries.filter((entry) => entry.kind === 'request');
  }

  /** Changes of one resource (its storage name), or of all. */
  changes(resource?: string): ChangeEntry[] {
    return this.#entries.filter(
      (entry) => entry.kind === 'change' && (resource === undefined || entry.resource === resource),
    ) as ChangeEntry[];
  }

  /**
   * Records requests. Put it outermost to record the clients' requests, innermost to record those that reach the
   * server.
   */
  readonly middleware: Middleware =
    (next: Handler): Handler =>
    async (request) => {
      const entry = this.#note(request);
      const answer = await next(request);
      entry.status = answer.status;
      return answer;
    };

  /** Records the store's commits from now on. Returns a function that stops it. */
  follow(store: Store): () => void {
    return store.subscribe(({ type, revision, resource, key, object, old, at }) => {
      this.#entries.push({ kind: 'change', at, type, revision, resource, key, object, old });
    });
  }

  /** One JSON line per entry. */
  toText(): string {
    return this.#entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  }

  static parse(text: string): HistoryEntry[] {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as HistoryEntry);
  }

  #note({ method, path, headers, body }: ApiRequest): RequestEntry {
    const entry: RequestEntry = {
      kind: 'request',
      number: ++this.#requests,
      at: this.#clock.monotonic(),
      method,
      path,
      headers,
      ...(body !== undefined && { body: decodeText(body) }),
      status: undefined,
    };
    this.#entries.push(entry);
    return entry;
  }
}
