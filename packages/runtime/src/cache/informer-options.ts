/** Options of an informer: its environment, which objects it watches, how it stores them. */
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { KubernetesObject } from '../model/types.ts';
import type { Scope } from '../reflector/api.ts';
import type { Random } from '../reflector/backoff.ts';
import type { ReflectorTuning } from '../reflector/reflector.ts';
import type { Cached, IndexFunctions } from './informer.ts';
import type { Projection } from './projection.ts';

/** Dependencies of informers; the same for all informers of a program. */
export interface InformerEnvironment {
  readonly client: Pick<Client, 'listEach' | 'watch'>;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly tuning?: ReflectorTuning | undefined;
  /**
   * Resync period: how often handlers get all objects again, with 10 % jitter. It sends no request. 10 hours by
   * default, 0 for never.
   */
  readonly resyncPeriodMs?: number | undefined;
  /** Freeze what is cached, so that a consumer that changes it fails. For development and tests. */
  readonly freeze?: boolean | undefined;
  /** Compare every watch-list with a plain list and report differences. For debugging. */
  readonly selfCheck?: boolean | undefined;
}

/** Which objects an informer watches. */
export interface InformerSelection<T extends KubernetesObject> extends Scope {
  readonly type: ResourceType<T>;
}

/** Which objects an informer watches and what it stores of them. */
export type InformerOptions<T extends KubernetesObject, C extends Cached> = InformerEnvironment &
  InformerSelection<T> & {
    readonly indexes?: IndexFunctions<C>;
    readonly project?: Projection<T, C>;
    /** Ask the server for metadata only. */
    readonly metadataOnly?: boolean;
  };
