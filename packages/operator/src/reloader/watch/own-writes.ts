/** Workloads with our own writes applied, before the caches receive their events. */
import {
  type CachingInformer,
  type Clock,
  type Informer,
  type KubernetesObject,
  type Metrics,
  Overlay,
  type Stored,
  type WriteTracker,
} from '@reloader/runtime';
import type { WorkloadFacts, WorkloadKind, WorkloadRef } from '../model/workload.ts';
import type { Caches } from './caches.ts';

export interface WorkloadCache {
  readonly informer: CachingInformer<WorkloadFacts>;
  readonly required: boolean;
  /** With our own writes applied, and without the events that those writes cause. */
  readonly view: Informer<WorkloadFacts>;
  readonly store: Informer<WorkloadFacts>['store'];
}

export interface OwnWritesOptions {
  readonly caches: Caches;
  readonly tracker: WriteTracker;
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
  /** Called after we wrote a workload of a kind that is listed. */
  readonly onWritten: (ref: WorkloadRef) => void;
}

export function withOwnWrites(options: OwnWritesOptions): ReadonlyMap<WorkloadKind, WorkloadCache> {
  const { caches, tracker, clock, metrics, onWritten } = options;
  // The engine reads nothing of an answer but its outcome.
  const overlayOptions = { clock, answersStay: true, ...(metrics ? { metrics } : {}) };
  const layered = new Map<WorkloadKind, WorkloadCache>();
  for (const [kind, { informer, required }] of caches.workloads) {
    const overlay = caches.listed.has(kind)
      ? new TellingOverlay(informer, overlayOptions, ({ namespace = '', name }) =>
          onWritten({ kind, namespace, name }),
        )
      : new Overlay(informer, overlayOptions);
    tracker.attach(overlay);
    layered.set(kind, { informer, required, view: overlay.asInformer(), store: overlay.store });
  }
  return layered;
}

/** An overlay that also reports each write. */
class TellingOverlay extends Overlay<WorkloadFacts> {
  readonly #tell: (metadata: Stored<KubernetesObject>['metadata']) => void;

  constructor(
    informer: CachingInformer<WorkloadFacts>,
    options: ConstructorParameters<typeof Overlay>[1],
    tell: (metadata: Stored<KubernetesObject>['metadata']) => void,
  ) {
    super(informer, options);
    this.#tell = tell;
  }

  override onWritten(object: Stored<KubernetesObject>, writer?: string): void {
    super.onWritten(object, writer);
    this.#tell(object.metadata);
  }
}
