/** The state shared by all parts of the server. One per running minicluster. */

import type { Clock } from '@reloader/runtime';
import type { ServiceAddress } from '../admission/call.ts';
import type { KindRegistry } from '../kinds/index.ts';
import type { WriteContext } from '../kinds/kind.ts';
import type { Random } from '../model/random.ts';
import type { Replica } from '../storage/replica.ts';
import { type Store, storageName } from '../storage/store.ts';

export interface Features {
  /** `sendInitialEvents` of watches; servers before 1.32 answer 422. */
  readonly watchList: boolean;
}

export interface Cluster {
  readonly clock: Clock;
  readonly store: Store;
  /** The default front end for requests that name no other. */
  readonly replica: Replica;
  readonly kinds: KindRegistry;
  readonly random: Random;
  readonly features: Features;
  /** Addresses of webhook Services; undefined if none were given. */
  readonly serviceAddress?: ServiceAddress | undefined;
}

/** Whole seconds, as in objects. */
export function timestamp(clock: Clock): string {
  return `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
}

export function writeContext(cluster: Cluster): WriteContext {
  return {
    now: cluster.clock.now(),
    random: () => cluster.random.next(),
    *list(kind, namespace) {
      const snapshot = cluster.store.now(storageName(kind));
      for (const key of snapshot.keys(namespace ? `${namespace}/` : '')) {
        const object = snapshot.get(key);
        if (object) yield object;
      }
    },
  };
}
