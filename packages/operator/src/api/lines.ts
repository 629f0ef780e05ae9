/**
 * One line for each workload, updated by the changes that the engine reports, so that a request does not plan every
 * workload.
 *
 * In: names of workloads that may look different now (`touch`). Out: lines in the order of their names, each with the
 * number of its last change, and the last changes. Guarantees: only the fields that lists sort, filter and count by are
 * kept; the text of a line is made on request. Lines are computed only on request, in pieces of a few milliseconds.
 * Half a minute after the last reader all lines are dropped, and a touch costs nothing. Memory is returned then if
 * there were many lines, and also after they have all been computed. A line that is computed again with the same result
 * keeps its number.
 */
import type { Clock, Timer } from '@reloader/runtime';
import { inPieces } from '../pace/pieces.ts';
import { isSameSource, type SourceRef } from '../reloader/model/source.ts';
import type { Problem } from '../reloader/model/want.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { WorkloadSummary } from '../reloader/report/reporter.ts';
import { isFrozenAt } from '../reloader/want/freeze.ts';
import { CountsByNamespace } from './counts.ts';
import { lineOf } from './line.ts';
import type { Sequence } from './sequence.ts';
import type { LineCounts, LineState, NumberedLine, Wait, WorkloadLine } from './shapes.ts';
import { timeOf } from './times.ts';

export interface Line {
  /** `namespace/Kind/name`: lists are in this order. */
  readonly key: string;
  readonly workload: WorkloadRef;
  readonly number: number;
  readonly state: LineState;
  readonly sources: readonly SourceRef[];
  readonly asks: boolean;
  /** The reason why a pending change is held back, and until when. */
  readonly why: Wait['why'] | undefined;
  readonly until: string | undefined;
  readonly frozen: WorkloadLine['frozen'];
  /** The other reason that holds a frozen change: its end, `~` if that is unknown, `twice` for another freeze. */
  readonly held: string | undefined;
  readonly isRolling: boolean;
  readonly problems: readonly Problem[];
  /** When the next of its freezes ends by itself, in milliseconds since the epoch. */
  readonly thaws: number | undefined;
  /** Of its text and its freezes: shows whether the line has changed. */
  readonly fingerprint: number;
}

export interface Change {
  readonly number: number;
  readonly workload: WorkloadRef;
  /** The line as it is sent; absent if the workload was deleted. */
  readonly json?: string;
}

export interface LinesOptions {
  readonly sequence: Sequence;
  /** All existing workloads. */
  readonly all: () => Iterable<WorkloadRef>;
  readonly view: (ref: WorkloadRef) => WorkloadSummary | undefined;
  readonly clock: Clock;
  /** Returns memory to the system, when no reader waits for work. */
  readonly tidy?: () => void;
}

/** Lines are dropped if no reader asks for them for this long. */
const KEEP_MS = 30_000;
/** Number of changes that the stream can send one by one. */
const MOST_CHANGES = 256;
/** Fewer lines leave too little garbage to justify the pause. */
const MANY = 1_000;
const TIDY_AFTER_MS = 3_000;
/** Sorts after every time. */
export const UNKNOWN = '~';

export class Lines {
  readonly #options: LinesOptions;
  readonly #dirty = new Map<string, WorkloadRef>();
  readonly #listeners = new Set<() => void>();
  /** In the order of their keys. */
  #lines: Line[] = [];
  #counts = new CountsByNamespace();
  /** The workloads that are still to be computed whether or not they were touched. */
  #rest: Iterator<WorkloadRef> | undefined;
  /** In the order of their numbers. */
  #changes: Change[] = [];
  /** Changes up to this number are no longer remembered. */
  #floor = 0;
  #sourcesVersion = 0;
  #isKept = false;
  /** All lines are computed for the first time: their readers get them whole, not as changes. */
  #isFilling = false;
  #usedAt = 0;
  #thaw: Timer | undefined;
  #thawsAt = Number.POSITIVE_INFINITY;
  #working: Promise<void> | undefined;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  /** False while no reader asks. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Lines that are to be computed again. */
  get waiting(): number {
    return this.#rest ? Number.POSITIVE_INFINITY : this.#dirty.size;
  }

  /** Changes whenever a workload is added or removed, or is reloaded for other sources. */
  get sourcesVersion(): number {
    return this.#sourcesVersion;
  }

  /** Marks a workload whose line may have changed. */
  touch(ref: WorkloadRef): void {
    if (!this.#isKept) return;
    this.#dirty.set(keyOf(ref), ref);
    for (const listener of this.#listeners) listener();
  }

  touchAll(): void {
    if (!this.#isKept) return;
    this.#rest = this.#options.all()[Symbol.iterator]();
    for (const listener of this.#listeners) listener();
  }

  /**
   * Calls the listener whenever a line may have changed. Lines are kept while there is a listener. Returns the function
   * that stops it.
   */
  listen(listener: () => void): () => void {
    this.#use();
    this.#listeners.add(listener);
    return () => {
      this.#use();
      this.#listeners.delete(listener);
    };
  }

  /** Resolves when the lines are up to date. */
  fresh(): Promise<void> {
    this.#use();
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  /**
   * All lines as they are now, in order. Call `fresh` first if there are many: this computes the rest synchronously.
   */
  all(): readonly Line[] {
    this.#use();
    for (const [key, ref] of this.#toCompute()) this.#compute(key, ref);
    this.#isFilling = false;
    return this.#lines;
  }

  /** Of the lines that are computed: call `fresh` first. Undefined for all namespaces. */
  countsIn(namespace: string | undefined): LineCounts {
    return this.#counts.in(namespace);
  }

  /** The full text of some lines, without workloads that were deleted meanwhile. */
  async read(lines: readonly Line[]): Promise<NumberedLine[]> {
    const found: NumberedLine[] = [];
    await inPieces(lines, ({ workload, number }) => {
      const line = this.#look(workload)?.line;
      if (line) found.push({ number, ...line });
    });
    return found;
  }

  /** Changes after a number, the oldest first; undefined if there were more than are remembered. */
  changesSince(number: number): readonly Change[] | undefined {
    if (!this.#isKept || number < this.#floor) return undefined;
    let first = this.#changes.length;
    while (first > 0 && (this.#changes[first - 1]?.number ?? 0) > number) first -= 1;
    return this.#changes.slice(first);
  }

  #use(): void {
    const { clock, sequence, all } = this.#options;
    this.#usedAt = clock.monotonic();
    if (this.#isKept) return;
    this.#isKept = true;
    this.#isFilling = true;
    this.#floor = sequence.next();
    this.#rest = all()[Symbol.iterator]();
    this.#giveUpAfter(KEEP_MS);
  }

  #giveUpAfter(ms: number): void {
    const { clock } = this.#options;
    const timer = clock.setTimeout(() => {
      const left = this.#usedAt + KEEP_MS - clock.monotonic();
      if (this.#listeners.size > 0) this.#giveUpAfter(KEEP_MS);
      else if (left > 0) this.#giveUpAfter(left);
      else this.#giveUp();
    }, ms);
    timer.unref?.();
  }

  #giveUp(): void {
    if (this.#lines.length >= MANY) this.#tidySoon();
    this.#isKept = false;
    this.#lines = [];
    this.#counts = new CountsByNamespace();
    this.#changes = [];
    this.#rest = undefined;
    this.#dirty.clear();
    this.#sourcesVersion += 1;
    this.#thaw?.cancel();
    this.#thawsAt = Number.POSITIVE_INFINITY;
  }

  /** The end of a freeze is an event only where a change waits: the other lines are computed again at that time. */
  #thawAt(time: number): void {
    if (time >= this.#thawsAt) return;
    const { clock } = this.#options;
    this.#thawsAt = time;
    this.#thaw?.cancel();
    this.#thaw = clock.setTimeout(() => {
      const now = clock.now();
      let next = Number.POSITIVE_INFINITY;
      for (const { thaws, workload } of this.#lines) {
        if (thaws === undefined) continue;
        if (thaws <= now) this.touch(workload);
        else next = Math.min(next, thaws);
      }
      this.#thawsAt = Number.POSITIVE_INFINITY;
      this.#thawAt(next);
    }, time - clock.now());
    this.#thaw.unref?.();
  }

  async #work(): Promise<void> {
    await inPieces(this.#toCompute(), ([key, ref]) => this.#compute(key, ref));
    if (this.#isFilling && this.#lines.length >= MANY) this.#tidySoon();
    this.#isFilling = false;
  }

  /** Until nothing is left, including what is touched meanwhile, which goes first. */
  *#toCompute(): Iterable<[string, WorkloadRef]> {
    for (;;) {
      for (const [key, ref] of this.#dirty) {
        this.#dirty.delete(key);
        yield [key, ref];
      }
      const next = this.#rest?.next();
      if (next && !next.done) yield [keyOf(next.value), next.value];
      else {
        this.#rest = undefined;
        if (this.#dirty.size === 0) return;
      }
    }
  }

  #tidySoon(): void {
    const { clock, tidy } = this.#options;
    if (tidy) clock.setTimeout(tidy, TIDY_AFTER_MS).unref?.();
  }

  #look(ref: WorkloadRef): { readonly view: WorkloadSummary; readonly line: WorkloadLine } | undefined {
    const view = this.#options.view(ref);
    const line = view && lineOf(view, this.#options.clock.now());
    return line && { view, line };
  }

  #compute(key: string, ref: WorkloadRef): void {
    const at = placeOf(this.#lines, key);
    const before = this.#lines[at]?.key === key ? this.#lines[at] : undefined;
    const looked = this.#look(ref);
    if (!looked) {
      if (!before) return;
      this.#lines.splice(at, 1);
      this.#counts.replace(ref.namespace, before, undefined);
      this.#sourcesVersion += 1;
      this.#note({ number: this.#options.sequence.next(), workload: ref });
      return;
    }
    const { line, view } = looked;
    const text = JSON.stringify(line).slice(1);
    // Reasons and ends of freezes are not part of the line, but of overviews, which are as old as the last change.
    const fingerprint = fingerprintOf(text + JSON.stringify(view.want.policy.freezes));
    const isSame = before?.fingerprint === fingerprint;
    const number = isSame ? before.number : this.#options.sequence.next();
    // The texts of problems are not part of the line, so they are replaced even if the line is the same.
    const sources = before && hasSources(before, line.sources) ? before.sources : line.sources;
    if (sources !== before?.sources) this.#sourcesVersion += 1;
    const kept = keptOf(key, { number, ...line, sources }, view, this.#options.clock.now(), fingerprint);
    if (before) this.#lines[at] = kept;
    else this.#lines.splice(at, 0, kept);
    if (kept.thaws !== undefined) this.#thawAt(kept.thaws);
    this.#counts.replace(ref.namespace, before, kept);
    if (isSame) return;
    if (this.#isFilling) this.#floor = number;
    else this.#note({ number, workload: ref, json: `{"number":${number},${text}` });
  }

  #note(change: Change): void {
    this.#changes.push(change);
    const [oldest] = this.#changes;
    if (!oldest || this.#changes.length <= MOST_CHANGES) return;
    this.#changes.shift();
    this.#floor = oldest.number;
  }
}

function keptOf(
  key: string,
  line: NumberedLine,
  view: WorkloadSummary,
  now: number,
  fingerprint: number,
): Line {
  const { number, workload, state, sources, pending, frozen, pods, reloads } = line;
  return {
    key,
    workload,
    number,
    state,
    sources,
    // Whether it asks for reloads, now or before. A workload with a mistake in its annotations does not, but is listed.
    asks: sources.length > 0 || reloads > 0,
    why: pending?.why,
    until: pending?.until,
    frozen,
    held: heldBesides(view, now),
    isRolling: pods !== undefined,
    problems: view.want.problems,
    thaws: thawOf(view, now),
    fingerprint,
  };
}

function thawOf({ want }: WorkloadSummary, now: number): number | undefined {
  const ends = want.policy.freezes.flatMap(({ until = 0 }) => (until > now ? [until] : []));
  return ends.length > 0 ? Math.min(...ends) : undefined;
}

function heldBesides({ deferred, want }: WorkloadSummary, now: number): string | undefined {
  if (want.policy.freezes.filter((freeze) => isFrozenAt(freeze, now)).length > 1) return 'twice';
  if (deferred?.why !== 'frozen' || !deferred.also) return undefined;
  const ends = deferred.also.map(({ until }) => (until === undefined ? UNKNOWN : timeOf(until)));
  return ends.sort().at(-1);
}

function hasSources({ sources }: Line, others: readonly SourceRef[]): boolean {
  return sources.length === others.length && sources.every((source, at) => isSameSource(source, others[at]));
}

/** The index of the first line whose key is not smaller. */
function placeOf(lines: readonly Line[], key: string): number {
  let [from, to] = [0, lines.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((lines[middle]?.key ?? '') < key) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** A 53-bit hash of a text. It detects changes; it need not be hard to guess. */
function fingerprintOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}

/** The order of lists. */
export function keyOf({ kind, namespace, name }: WorkloadRef): string {
  return `${namespace}/${kind}/${name}`;
}
