/** Workloads as our own writes left them, before the caches hear of it. */
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
  /** With our own writes, and without their echoes. */
  readonly view: Informer<WorkloadFacts>;
  readonly store: Informer<WorkloadFacts>['store'];
}

export interface OwnWritesOptions {
  readonly caches: Caches;
  readonly tracker: WriteTracker;
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
  /** We wrote a workload of a kind that is listed. */
  readonly onWritten: (ref: WorkloadRef) => void;
}

export function withOwnWrites(options: OwnWritesOptions): ReadonlyMap<WorkloadKind, WorkloadCache> {
  const { caches, tracker, clock, metrics, onWritten } = options;
  const overlayOptions = { clock, ...(metrics ? { metrics } : {}) };
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

/** Also tells of each write. */
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
