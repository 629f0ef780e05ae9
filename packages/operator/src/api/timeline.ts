/**
 * Recent events: changes of sources, waits, reloads and how their rollouts ended.
 *
 * In: the engine's reports. Out: events, the oldest first. Guarantees: at most `MOST_EVENTS`, the oldest are dropped
 * first; no content and no digest of any source. It is for people: no decision depends on it, and it is lost with the
 * process.
 */
import type { Verdict } from '../reloader/model/decision.ts';
import type { SourceKind, SourceRef } from '../reloader/model/source.ts';
import type { Want } from '../reloader/model/want.ts';
import { refOf, type WorkloadFacts } from '../reloader/model/workload.ts';
import type { PipelineReporter, ReloadReport, RolloutResult } from '../reloader/report/reporter.ts';
import type { Later } from '../reloader/schedule/types.ts';
import type { Sequence } from './sequence.ts';
import type { ChangeKind, TimelineEvent } from './shapes.ts';
import { timeOf, waitOf } from './times.ts';

const MOST_EVENTS = 10_000;
const LONGEST_MESSAGE = 300;

export interface TimelineFilter {
  /** RFC 3339 in UTC with milliseconds, as all times here: they compare as text. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly isMeant: (event: TimelineEvent) => boolean;
  readonly limit: number;
}

export class Timeline implements Partial<PipelineReporter> {
  readonly #sequence: Sequence;
  readonly #now: () => number;
  readonly #most: number;
  readonly #listeners = new Set<() => void>();
  /** A ring buffer: `#next` is the place of the oldest event once it is full. */
  readonly #ring: TimelineEvent[] = [];
  #next = 0;
  #begins: string;

  constructor(sequence: Sequence, now: () => number, most = MOST_EVENTS) {
    this.#sequence = sequence;
    this.#now = now;
    this.#most = most;
    this.#begins = timeOf(now());
  }

  /** Events before this time are not known. */
  get begins(): string {
    return this.#begins;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The newest events that match, oldest first. */
  find({ since = '', until, isMeant, limit }: TimelineFilter): {
    readonly events: readonly TimelineEvent[];
    readonly truncated: boolean;
  } {
    return newest(
      this.#newestFirst(),
      ({ at }) => at >= since,
      (event) => (until === undefined || event.at < until) && isMeant(event),
      limit,
    );
  }

  /** Events with a higher number that match, the oldest first; at most `limit` of the newest. */
  after(
    number: number,
    limit: number,
    isMeant: TimelineFilter['isMeant'],
  ): { readonly events: readonly TimelineEvent[]; readonly truncated: boolean } {
    const isNewer = (event: TimelineEvent): boolean => event.number > number;
    return newest(this.#newestFirst(), isNewer, isMeant, limit);
  }

  sourceChanged(
    kind: SourceKind,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    before: string | undefined,
    after: string | undefined,
    concerned: number,
  ): void {
    // A change that concerns no workload is not reported.
    if (before === after || concerned === 0) return;
    const change: ChangeKind = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
    this.#add({ type: 'source', source: { kind, namespace, name }, change, concerned });
  }

  deferred(workload: WorkloadFacts, _want: Want, later: Later): void {
    this.#add({ type: 'wait', workload: refOf(workload), wait: waitOf(later) });
  }

  reloaded({ plan }: ReloadReport): void {
    this.#add({ type: 'reload', workload: refOf(plan.workload), causes: causesOf(plan.causes) });
  }

  failed({ plan }: ReloadReport, error: Error): void {
    const message = error.message.slice(0, LONGEST_MESSAGE);
    this.#add({ type: 'refused', workload: refOf(plan.workload), causes: causesOf(plan.causes), message });
  }

  wouldReload(workload: WorkloadFacts, { reload }: Verdict): void {
    this.#add({ type: 'observe', workload: refOf(workload), causes: causesOf(reload?.causes ?? []) });
  }

  rolledOut(workload: WorkloadFacts, _seq: number, result: RolloutResult, message: string): void {
    const text = result === 'succeeded' ? {} : { message: message.slice(0, LONGEST_MESSAGE) };
    this.#add({ type: 'rollout', workload: refOf(workload), result, ...text });
  }

  #add(what: Omit<TimelineEvent, 'number' | 'at'>): void {
    const event: TimelineEvent = { number: this.#sequence.next(), at: timeOf(this.#now()), ...what };
    if (this.#ring.length < this.#most) this.#ring.push(event);
    else {
      this.#ring[this.#next] = event;
      this.#next = (this.#next + 1) % this.#most;
      this.#begins = this.#ring[this.#next]?.at ?? this.#begins;
    }
    for (const listener of this.#listeners) listener();
  }

  *#newestFirst(): Iterable<TimelineEvent> {
    const { length } = this.#ring;
    for (let back = 1; back <= length; back++) {
      const event = this.#ring[(this.#next - back + length) % length];
      if (event) yield event;
    }
  }
}

/** The newest events that match, oldest first, up to the first that is too old. */
function newest(
  newestFirst: Iterable<TimelineEvent>,
  isNew: (event: TimelineEvent) => boolean,
  isMeant: (event: TimelineEvent) => boolean,
  limit: number,
): { readonly events: readonly TimelineEvent[]; readonly truncated: boolean } {
  const events: TimelineEvent[] = [];
  for (const event of newestFirst) {
    if (!isNew(event)) break;
    if (!isMeant(event)) continue;
    if (events.length >= limit) return { events: events.reverse(), truncated: true };
    events.push(event);
  }
  return { events: events.reverse(), truncated: false };
}

function causesOf(causes: readonly { readonly ref: SourceRef }[]): readonly SourceRef[] {
  return causes.map(({ ref }) => ref);
}
