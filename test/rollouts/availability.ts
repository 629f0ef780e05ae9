/**
 * Checks for every deletion of a serving pod whether it was allowed.
 *
 * In: every write of a cluster. Out: a list of deletions that broke the promise of a workload's spec (promise.ts).
 * Deletions by users are excused.
 */
import type { LocalApi, LocalEvent } from '@reloader/minicluster';
import type { Clock } from '@reloader/runtime';
import type { WorkloadKind } from './plan.ts';
import { type Count, type Pod, promised, type Spec, suspendsPromise } from './promise.ts';
import { NAMESPACE, RESOURCES } from './subject.ts';

export interface Violation extends Count {
  readonly at: number;
  readonly pod: string;
}

/** Deletions that the old spec allowed stay allowed this long after an update, until every controller has seen it. */
const NOTICE_MS = 20;

export class Availability {
  readonly violations: Violation[] = [];
  /** The number of judged deletions of serving pods. */
  judged = 0;
  readonly #api: LocalApi;
  readonly #clock: Clock;
  readonly #pods = new Map<string, Map<string, Pod>>();
  readonly #before = new Map<string, { readonly spec: Spec; readonly until: number }>();
  #excused: string | undefined;

  constructor(api: LocalApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
    api.subscribe((event) => this.#observe(event));
  }

  /** Runs a user's action on this pod. */
  excuse(pod: string, action: () => void): void {
    this.#excused = pod;
    action();
    this.#excused = undefined;
  }

  #observe({ type, kind, object, old }: LocalEvent): void {
    if (object.metadata.namespace !== NAMESPACE) return;
    if (kind.plural === 'pods') this.#observePod(type, object as unknown as Pod);
    else if (Object.values(RESOURCES).some(({ plural }) => plural === kind.plural) && old) {
      if (old.metadata.generation === object.metadata.generation) return;
      const until = this.#clock.monotonic() + NOTICE_MS;
      this.#before.set(object.metadata.name, { spec: old.spec as Spec, until });
    }
  }

  #observePod(type: LocalEvent['type'], pod: Pod): void {
    const app = pod.metadata.labels?.app ?? '';
    const pods = this.#pods.get(app) ?? new Map<string, Pod>();
    this.#pods.set(app, pods);
    const before = pods.get(pod.metadata.uid);
    const goes = type === 'DELETED' || pod.metadata.deletionTimestamp !== undefined;
    if (goes) pods.delete(pod.metadata.uid);
    else pods.set(pod.metadata.uid, pod);
    if (goes && before && pod.metadata.name !== this.#excused) this.#judge(app, before, [...pods.values()]);
  }

  #judge(app: string, gone: Pod, others: readonly Pod[]): void {
    for (const [kind, resource] of Object.entries(RESOURCES)) {
      const live = this.#api.get(resource, { namespace: NAMESPACE, name: app });
      if (!live) continue;
      const deletion = { kind: kind as WorkloadKind, gone, others };
      const spec = live.spec as Spec;
      const before = this.#before.get(app);
      const past = before && before.until >= this.#clock.monotonic() ? [before.spec] : [];
      if (past.some((each) => suspendsPromise(each, spec, deletion))) return;
      const counts = [spec, ...past].map((each) => promised(each, deletion, this.#clock.now()));
      const [now] = counts;
      if (!now || counts.includes(undefined)) return;
      this.judged += 1;
      if (counts.some((count) => count && count.left >= count.least)) return;
      this.violations.push({ at: this.#clock.monotonic(), pod: gone.metadata.name, ...now });
    }
  }
}
