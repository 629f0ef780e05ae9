/**
 * Watches: initial state, events filtered by selectors, bookmarks, and the end.
 *
 * In: the replica's events of one resource. Out: one line of JSON, or frame of protobuf, each. Guarantees: events in order of revision, none
 * twice; a client can continue from the last resourceVersion it got. A watch from an expired revision answers 200 and
 * one ERROR event, as clients expect.
 */
import type { Timer } from '@reloader/runtime';
import { storageOf } from '../../kinds/index.ts';
import type { KubeObject } from '../../model/object.ts';
import { expired, StatusError } from '../../model/status.ts';
import type { ApiResponse, LiveBody, Sink } from '../../request/request.ts';
import type { StoredEvent } from '../../storage/event-log.ts';
import { storageName } from '../../storage/store.ts';
import type { ResourceCall } from '../call.ts';
import { revisionProblem, waitUntilFresh } from '../freshness.ts';
import { type ListOptions, readListOptions } from '../list-options.ts';
import { PROTOBUF } from '../negotiation.ts';
import { encodeEvent, eventIn, type Representation, shown } from '../representation.ts';
import { representation, warningHeader } from '../respond.ts';
import { readSelection, type Selection, selects } from '../selection.ts';
import { bookmark, firstTable } from '../watch-lines.ts';

const PROTOBUF_STREAM = `${PROTOBUF};stream=watch`;
const BOOKMARK_EVERY_MS = 60_000;
const BOOKMARK_BEFORE_END_MS = 2_000;
/** A watch without a timeout ends after 30 to 60 minutes. */
const SHORTEST_DEFAULT_S = 1_800;

export async function watch(call: ResourceCall): Promise<ApiResponse> {
  const as = representation(call);
  const options = readListOptions(call.query, true, call.cluster.features);
  const selection = readSelection(call, options);
  const headers = {
    'cache-control': 'no-cache, private',
    'content-type': as.media.format === 'protobuf' ? PROTOBUF_STREAM : 'application/json',
    ...warningHeader(call.warnings),
  };
  try {
    const revision = await startRevision(call, options);
    return { status: 200, headers, body: new WatchBody(call, as, options, selection, revision) };
  } catch (error) {
    // A revision in the future is also reported as an event.
    if (!(error instanceof StatusError) || error.body.code !== 504) throw error;
    return { status: 200, headers, body: eventIn(as.media, 'ERROR', error.body) };
  }
}

/** Send events after this revision; undefined for "from the current state". */
async function startRevision(call: ResourceCall, options: ListOptions): Promise<number | undefined> {
  const { resourceVersion, sendInitialEvents } = options;
  const { cluster, replica } = call;
  if (resourceVersion !== '' && !/^[0-9]+$/.test(resourceVersion)) {
    throw new StatusError(500, '', revisionProblem(resourceVersion));
  }
  const revision = Number(resourceVersion || '0');
  if (sendInitialEvents) {
    // Without a revision the initial state is consistent.
    const wanted = resourceVersion === '' ? cluster.store.revision : revision;
    await waitUntilFresh(cluster, replica, wanted, call.request.signal);
    return undefined;
  }
  if (sendInitialEvents === false && revision === 0) return replica.revision;
  return revision === 0 ? undefined : revision;
}

class WatchBody implements LiveBody {
  readonly #call: ResourceCall;
  readonly #as: Representation;
  readonly #options: ListOptions;
  readonly #selection: Selection;
  readonly #start: number | undefined;
  readonly #resource: string;
  #sink: Sink | undefined;
  #stopWatching: (() => void) | undefined;
  #timers: Timer[] = [];
  #sentTable = false;
  /** The client's revision: bookmarks must not be older. */
  #revision = 0;

  constructor(
    call: ResourceCall,
    as: Representation,
    options: ListOptions,
    selection: Selection,
    start: number | undefined,
  ) {
    this.#call = call;
    this.#as = as;
    this.#options = options;
    this.#selection = selection;
    this.#start = start;
    this.#resource = storageName(storageOf(call.kind));
  }

  open(sink: Sink): () => void {
    this.#sink = sink;
    const { replica } = this.#call;
    const start = this.#start ?? replica.revision;
    this.#revision = start;
    this.#startTimers();
    if (this.#start === undefined) this.#sendInitialState();
    const stop = replica.watch(this.#resource, start, {
      onEvent: (event) => this.#onEvent(event),
      onLost: () => this.#fail(this.#tooOld(start)),
    });
    if (!stop) this.#fail(this.#tooOld(start));
    else if (this.#sink) this.#stopWhenUnserved(stop);
    else stop();
    return () => this.#close();
  }

  /** The server ends the watch. */
  end(): void {
    const sink = this.#sink;
    this.#close();
    sink?.end();
  }

  /** If a custom resource is no longer served, or served differently, its watches end. */
  #stopWhenUnserved(stop: () => void): void {
    const { cluster, kind } = this.#call;
    const unsubscribe = cluster.kinds.subscribe(({ removed }) => {
      if (removed.includes(kind)) this.end();
    });
    this.#stopWatching = () => {
      unsubscribe();
      stop();
    };
  }

  #close(): void {
    this.#sink = undefined;
    this.#stopWatching?.();
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
  }

  #sendInitialState(): void {
    const { replica, kind } = this.#call;
    const snapshot = replica.snapshot(this.#resource);
    if (!snapshot) this.#fail(this.#tooOld(replica.revision));
    for (const key of snapshot?.keys(this.#selection.prefix) ?? []) {
      const stored = snapshot?.get(key);
      if (stored && selects(this.#selection, kind, stored)) this.#send('ADDED', stored, undefined);
    }
    if (this.#options.allowWatchBookmarks && this.#call.cluster.features.watchList) this.#bookmark(true);
  }

  #onEvent(event: StoredEvent): void {
    this.#revision = event.revision;
    if (!event.key.startsWith(this.#selection.prefix)) return;
    const { kind } = this.#call;
    const before = event.old !== undefined && selects(this.#selection, kind, event.old);
    const after = event.type !== 'DELETED' && selects(this.#selection, kind, event.object);
    if (after) this.#send(before ? 'MODIFIED' : 'ADDED', event.object, event);
    else if (before) this.#send('DELETED', departed(event), event);
  }

  #send(type: string, stored: KubeObject, source: StoredEvent | undefined): void {
    const object = shown(this.#call.kind, stored);
    if (this.#as.media.view === 'Table' && !this.#sentTable) {
      this.#sentTable = true;
      this.#sink?.write(firstTable(this.#fresh(), type, object));
    } else {
      this.#sink?.write(encodeEvent(this.#fresh(), type, object, source));
    }
  }

  /** Ages in tables are computed at the time of sending. */
  #fresh(): Representation {
    return this.#as.media.view === 'Table' ? { ...this.#as, now: this.#call.cluster.clock.now() } : this.#as;
  }

  #startTimers(): void {
    const { clock, random } = this.#call.cluster;
    const seconds = this.#options.timeoutSeconds || Math.ceil(SHORTEST_DEFAULT_S * (1 + random.next()));
    const lifetime = seconds * 1000;
    this.#timers.push(clock.setTimeout(() => this.end(), lifetime));
    if (!this.#options.allowWatchBookmarks) return;
    const last = lifetime - BOOKMARK_BEFORE_END_MS;
    if (last > 0) this.#timers.push(clock.setTimeout(() => this.#bookmark(false), last));
    this.#bookmarkLater();
  }

  #bookmarkLater(): void {
    const timer = this.#call.cluster.clock.setTimeout(() => {
      this.#timers.splice(this.#timers.indexOf(timer), 1);
      this.#bookmark(false);
      this.#bookmarkLater();
    }, BOOKMARK_EVERY_MS);
    this.#timers.push(timer);
  }

  #bookmark(initialEventsEnd: boolean): void {
    this.#revision = Math.max(this.#revision, this.#call.replica.revision);
    this.#sink?.write(bookmark(this.#as, this.#revision, initialEventsEnd));
  }

  #tooOld(start: number): StatusError {
    const floor = this.#call.cluster.store.floor(this.#resource);
    return expired(`too old resource version: ${start} (${floor})`);
  }

  #fail(error: StatusError): void {
    this.#sink?.write(eventIn(this.#as.media, 'ERROR', error.body));
    this.end();
  }
}

/** An object that left the selection is sent in its last selected state, at the revision of the change. */
function departed(event: StoredEvent): KubeObject {
  if (event.type === 'DELETED' || !event.old) return event.object;
  return {
    ...event.old,
    metadata: { ...event.old.metadata, resourceVersion: String(event.revision) },
  };
}
