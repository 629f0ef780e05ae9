/**
 * The notebook: everything about workloads that must survive this process and is not recorded by a rollout.
 *
 * In: notes, one for each workload. Out: the same notes, at once from memory, and after a crash from ConfigMaps of the
 * operator's namespace. Guarantees: the notes are read by one consistent list when this process becomes leader, before
 * the first decision (`ready`); they are written 100 ms after the first change, then at most once a second for each
 * piece (every 5 s while changes continue) and within a common rate limit; `stored` waits until a note is stored and
 * bypasses these limits; another writer is detected by the resourceVersion, at the next write or within five minutes,
 * and of two notes the one with the higher number of reloads counts. Without the right to read or write it, notes are in memory only, and `trouble` says so.
 */
import { setMaxListeners } from 'node:events';
import {
  AlreadyExistsError,
  type Client,
  type Clock,
  ConflictError,
  ForbiddenError,
  type Logger,
  type Metrics,
  NotFoundError,
  type Runnable,
  type RunSignals,
  sleep,
} from '@reloader/runtime';
import { formatNote, type ParsedNote, revisionOf } from '../ledger/note.ts';
import type { Note } from '../model/ledger.ts';
import { type WorkloadRef, workloadKey } from '../model/workload.ts';
import { WriteBudget } from './budget.ts';
import { changedOutside } from './changed-outside.ts';
import { createNotebookMetrics, type NotebookMetrics } from './metrics.ts';
import { isNewer, seqOf } from './newer.ts';
import { ParsedNotes } from './parsed-notes.ts';
import { isDirty, nameBeside, type Piece, Pieces, refOfEntry, type StoredPiece } from './pieces.ts';
import { NoteStore } from './store.ts';

export interface NotebookOptions {
  /** The client for writes; with leader election a fenced one. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  readonly namespace: string;
  /** Observe mode: stored notes are read, so that decisions are the same as without it, and nothing is written. */
  readonly memoryOnly?: boolean;
  /** Another writer had a newer note of this workload. */
  readonly onForeign?: (ref: WorkloadRef) => void;
  /** `trouble` has changed or is over. */
  readonly onTrouble?: () => void;
}

export interface NotebookTrouble {
  readonly reason: 'NotebookContended' | 'NotebookUnavailable';
  readonly message: string;
}

const FIRST_WRITE_MS = 100;
const BETWEEN_WRITES_MS = 1_000;
/**
 * A further write of a piece waits until no note came for `QUIET_MS`, at most `LONGEST_COLLECTION_MS`, so that the many
 * notes of an installation cost two writes.
 */
const QUIET_MS = 250;
const LONGEST_COLLECTION_MS = 5_000;
const RETRY_MS = { first: 1_000, most: 60_000 };
const CONTENDED = { conflicts: 3, withinMs: 60_000, pauseMs: 30_000 };
/** The note of a deleted workload is kept this long: the workload may be created again over orphaned pods. */
const KEPT_AFTER_DELETION_MS = 600_000;
const ROUND_MS = 60_000;
/** Another client may have changed the ConfigMaps: they are compared every five minutes. */
const ROUNDS_BETWEEN_CHECKS = 5;

/** Pieces to load before yielding to the event loop: at 32 KB each, some hundred notes or a few milliseconds. */
const PIECES_A_TURN = 8;

interface Writer {
  lastAt: number;
  /** Ends the wait before the next write. */
  hurry: AbortController;
  running: Promise<void> | undefined;
  conflicts: number[];
  /** Too many conflicts, and no successful write since: each further attempt is delayed. */
  isContended: boolean;
}

export class Notebook {
  readonly runnables: readonly Runnable[];
  /** Resolves when the notes are read, or the operator has no right to read them: decisions may begin. */
  readonly ready: Promise<void>;
  readonly #options: NotebookOptions;
  readonly #store: NoteStore;
  readonly #pieces = new Pieces();
  readonly #budget = new WriteBudget();
  readonly #writers = new Map<Piece, Writer>();
  readonly #parsed = new ParsedNotes();
  readonly #metrics: NotebookMetrics;
  /** By workload key: when the note of a deleted workload is removed, in milliseconds since the epoch. */
  readonly #goesAt = new Map<string, { readonly ref: WorkloadRef; readonly at: number }>();
  #signal: AbortSignal | undefined;
  #trouble: NotebookTrouble | undefined;
  #memoryOnly: boolean;
  #onReady: () => void = () => undefined;

  constructor(options: NotebookOptions) {
    this.#options = options;
    this.#store = new NoteStore(options.client, options.namespace);
    this.#memoryOnly = options.memoryOnly ?? false;
    this.#metrics = createNotebookMetrics(options.metrics, () => this.#pieces);
    this.ready = new Promise((resolve) => {
      this.#onReady = resolve;
    });
    this.runnables = [
      // Read beside the lists of the caches: decisions need both.
      {
        name: 'notebook',
        stage: 'caches',
        needsLeaderElection: true,
        start: (signals) => this.#run(signals),
      },
      { name: 'notebook, last write', stage: 'http', start: (signals) => this.#finish(signals) },
    ];
  }

  get trouble(): NotebookTrouble | undefined {
    return this.#trouble;
  }

  has(ref: WorkloadRef): boolean {
    return this.#pieces.get(ref) !== undefined;
  }

  note(ref: WorkloadRef): ParsedNote {
    return this.#parsed.of(this.#pieces.get(ref));
  }

  workloads(): Iterable<WorkloadRef> {
    return this.#pieces.workloads();
  }

  put(ref: WorkloadRef, note: Note): void {
    this.#goesAt.delete(workloadKey(ref));
    const text = formatNote(note, { revision: revisionOf(this.#pieces.get(ref)) + 1, ...nameBeside(ref) });
    this.#parsed.keep(text, { kind: 'note', note });
    this.#writeSoon(this.#pieces.put(ref, text));
  }

  /** Resolves when the last note of this workload is stored, or cannot be. Bypasses all rate limits. */
  async stored(ref: WorkloadRef, signal: AbortSignal): Promise<void> {
    const piece = this.#pieces.pieceOf(ref);
    if (!piece) return;
    const { revision } = piece;
    while (piece.stored < revision && !this.#memoryOnly && this.#trouble?.reason !== 'NotebookUnavailable') {
      signal.throwIfAborted();
      this.#signal?.throwIfAborted();
      const writer = this.#writerOf(piece);
      writer.hurry.abort();
      await (writer.running ?? this.#start(piece, writer));
    }
  }

  /** The workload was deleted. Its note is kept for a while. */
  forget(ref: WorkloadRef): void {
    if (!this.has(ref)) return;
    const at = this.#options.clock.now() + KEPT_AFTER_DELETION_MS;
    const key = workloadKey(ref);
    if (!this.#goesAt.has(key)) this.#goesAt.set(key, { ref, at });
  }

  async #run({ stopping }: RunSignals): Promise<void> {
    const { clock } = this.#options;
    await this.#load(stopping);
    // Each piece with a pending write adds a listener, and their number is not bounded.
    setMaxListeners(0, stopping);
    this.#signal = stopping;
    // Not `AbortSignal.any` for each pause: Node 20 keeps every such signal for as long as `stopping` lives.
    const wakeWriters = (): void => {
      for (const { hurry } of this.#writers.values()) hurry.abort();
    };
    stopping.addEventListener('abort', wakeWriters, { once: true });
    this.#onReady();
    for (let round = 1; !stopping.aborted; round++) {
      await sleep(clock, ROUND_MS, stopping).catch(() => undefined);
      if (round % ROUNDS_BETWEEN_CHECKS === 0 && !stopping.aborted) await this.#check(stopping);
      const now = clock.now();
      for (const [key, { ref, at }] of this.#goesAt) {
        if (at > now) continue;
        this.#goesAt.delete(key);
        this.#writeSoon(this.#pieces.remove(ref));
      }
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    if (this.#memoryOnly) return;
    const { logger } = this.#options;
    try {
      const pieces = await changedOutside(this.#pieces, this.#store, signal);
      if (pieces.length > 0) logger.info('Another client changed the notebook', { pieces: pieces.length });
      this.#writeSoon(pieces);
    } catch (error) {
      if (!signal.aborted) logger.debug('The notebook cannot be checked now', { error });
    }
  }

  /** On shutdown: writes the remaining notes once, after everything that makes notes has ended. */
  async #finish({ stopping, abort }: RunSignals): Promise<void> {
    await new Promise<void>((resolve) => {
      if (stopping.aborted) resolve();
      else stopping.addEventListener('abort', () => resolve(), { once: true });
    });
    if (!this.#signal || this.#memoryOnly) return;
    await Promise.allSettled([...this.#writers.values()].map(({ running }) => running));
    for (const piece of this.#pieces.all()) {
      if (isDirty(piece) && !abort.aborted) await this.#tryWrite(piece, abort);
    }
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    for (let pauseMs = RETRY_MS.first; !signal.aborted; pauseMs = Math.min(RETRY_MS.most, pauseMs * 2)) {
      try {
        const found: StoredPiece[] = [];
        for await (const stored of this.#store.list(signal)) found.push(stored);
        return this.#writeSoon(await this.#take(found));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ForbiddenError) {
          // Observe mode has nothing to store.
          if (this.#memoryOnly) return;
          // The stored notes are unknown, so do not overwrite them.
          this.#memoryOnly = true;
          return this.#unavailable('read', error);
        }
        logger.warn('The notebook cannot be read yet: nothing is decided before', { error, pauseMs });
        await sleep(clock, pauseMs, signal).catch(() => undefined);
      }
    }
  }

  /** Yields now and then: to load ten thousand notes at once would block the event loop. */
  async #take(found: readonly StoredPiece[]): Promise<Piece[]> {
    const dirty: Piece[] = [];
    for (const [index, stored] of found.entries()) {
      if (index % PIECES_A_TURN === PIECES_A_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
      dirty.push(...this.#pieces.load(stored, isNewer));
    }
    return dirty;
  }

  #unavailable(what: 'read' | 'written', error: ForbiddenError): void {
    const { logger, namespace } = this.#options;
    const isNew = this.#trouble?.reason !== 'NotebookUnavailable';
    const fix = `grant list, get, create and update on configmaps in namespace ${namespace}`;
    this.#setTrouble({
      reason: 'NotebookUnavailable',
      message: `The notebook may not be ${what}, so what is not a rollout is forgotten when this process ends: ${fix}`,
    });
    this.#metrics.available(false);
    if (isNew) logger.warn('The notebook lives in memory until this process ends', { fix, error });
  }

  #setTrouble(trouble: NotebookTrouble | undefined): void {
    const isNew = this.#trouble?.reason !== trouble?.reason;
    this.#trouble = trouble;
    if (isNew) this.#options.onTrouble?.();
  }

  #writerOf(piece: Piece): Writer {
    const known = this.#writers.get(piece);
    if (known) return known;
    const writer: Writer = {
      lastAt: Number.NEGATIVE_INFINITY,
      hurry: new AbortController(),
      running: undefined,
      conflicts: [],
      isContended: false,
    };
    this.#writers.set(piece, writer);
    return writer;
  }

  #writeSoon(pieces: readonly Piece[]): void {
    if (this.#memoryOnly) return;
    for (const piece of pieces) {
      const writer = this.#writerOf(piece);
      if (!writer.running) void this.#start(piece, writer);
    }
  }

  #start(piece: Piece, writer: Writer): Promise<void> {
    writer.running = this.#writeUntilClean(piece, writer).finally(() => {
      writer.running = undefined;
      if (this.#pieces.drop(piece)) this.#writers.delete(piece);
    });
    return writer.running;
  }

  /** One task for each changed piece, until it has nothing left to write. */
  async #writeUntilClean(piece: Piece, writer: Writer): Promise<void> {
    const { clock } = this.#options;
    let pauseMs = RETRY_MS.first;
    let wait = FIRST_WRITE_MS;
    while (isDirty(piece) && !this.#memoryOnly && !this.#signal?.aborted) {
      const since = writer.lastAt + BETWEEN_WRITES_MS - clock.monotonic();
      await (since > 0 ? this.#collect(piece, writer, Math.max(wait, since)) : this.#pause(writer, wait));
      await this.#pause(writer, this.#budget.take(piece.bytes, clock.monotonic()));
      writer.hurry = new AbortController();
      if (this.#signal?.aborted || this.#memoryOnly) return;
      const outcome = await this.#tryWrite(piece, this.#signal ?? new AbortController().signal);
      writer.lastAt = clock.monotonic();
      if (outcome === 'done') writer.isContended = false;
      wait = outcome === 'done' ? 0 : outcome === 'conflict' ? this.#afterConflict(writer) : pauseMs;
      pauseMs = outcome === 'failed' ? Math.min(RETRY_MS.most, pauseMs * 2) : RETRY_MS.first;
    }
  }

  /** Waits `first` ms, then until the piece has not changed for `QUIET_MS`. */
  async #collect(piece: Piece, writer: Writer, first: number): Promise<void> {
    const { clock } = this.#options;
    const { signal: hurry } = writer.hurry;
    const latest = clock.monotonic() + LONGEST_COLLECTION_MS - QUIET_MS;
    for (let revision = -1, ms = first; revision !== piece.revision; ms = QUIET_MS) {
      revision = piece.revision;
      await this.#pause(writer, ms);
      if (clock.monotonic() > latest || hurry.aborted || this.#signal?.aborted) return;
    }
  }

  /** Ends early when `stored` waits for the note, or on shutdown. */
  async #pause({ hurry }: Writer, ms: number): Promise<void> {
    if (ms <= 0) return;
    await sleep(this.#options.clock, ms, hurry.signal).catch(() => undefined);
  }

  async #tryWrite(piece: Piece, signal: AbortSignal): Promise<'done' | 'conflict' | 'failed'> {
    const { logger } = this.#options;
    const { revision } = piece;
    try {
      const resourceVersion = await this.#store.write(piece, signal);
      this.#metrics.written('success', piece.bytes);
      this.#setTrouble(undefined);
      this.#metrics.available(true);
      this.#writeSoon(this.#pieces.storedAs(piece, revision, resourceVersion));
      return 'done';
    } catch (error) {
      if (signal.aborted) return 'failed';
      if (error instanceof NotFoundError) {
        // Another client has deleted the ConfigMap: create it again from memory.
        piece.resourceVersion = undefined;
        this.#metrics.written('missing', 0);
        return 'conflict';
      }
      if (error instanceof ConflictError || error instanceof AlreadyExistsError) {
        this.#metrics.written('conflict', 0);
        await this.#takeOver(piece, signal).catch((failure) => {
          logger.debug('A piece of the notebook cannot be read after a conflict', { error: failure });
        });
        return 'conflict';
      }
      this.#metrics.written('error', 0);
      if (error instanceof ForbiddenError) this.#unavailable('written', error);
      else logger.warn('A piece of the notebook cannot be written; it is tried again', { error });
      return 'failed';
    }
  }

  /** Takes the other writer's notes that have a higher number of reloads, or are new to us; otherwise ours count. */
  async #takeOver(piece: Piece, signal: AbortSignal): Promise<void> {
    const stored = await this.#store.get(piece, signal).catch((error) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    piece.resourceVersion = stored?.resourceVersion;
    for (const [key, text] of Object.entries(stored?.data ?? {})) {
      const ref = refOfEntry(piece.namespace, key, text);
      const ours = ref && this.#pieces.get(ref);
      if (!ref || (ours !== undefined && seqOf(text) <= seqOf(ours))) continue;
      this.#pieces.put(ref, text);
      this.#options.onForeign?.(ref);
    }
  }

  #afterConflict(writer: Writer): number {
    const now = this.#options.clock.monotonic();
    writer.conflicts = [...writer.conflicts.filter((at) => at > now - CONTENDED.withinMs), now];
    if (writer.conflicts.length < CONTENDED.conflicts && !writer.isContended) return 0;
    writer.isContended = true;
    const message =
      'Somebody else writes the notes of this operator: two installations may share a namespace, or a tool resets its ConfigMaps';
    if (this.#trouble === undefined) {
      this.#setTrouble({ reason: 'NotebookContended', message });
      this.#options.logger.warn(message);
    }
    return CONTENDED.pauseMs;
  }
}
