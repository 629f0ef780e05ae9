/** Names and types that the operator under test and the tests share. */
import { randomUUID } from 'node:crypto';
import type { ElectionTimings, KubernetesObject, ReflectorTuning } from '@reloader/runtime';

export interface OperatorSettings {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly lease: string;
  readonly identity: string;
  /** The default timings unless given. */
  readonly timings?: ElectionTimings;
  readonly tuning?: ReflectorTuning;
}

/** The ConfigMap in which the leader counts. */
export const COUNTER = 'counter';
export const HANDLE_LABEL = 'failover.test/handle';

/** Each handling of an object adds its own annotation, so work done twice shows, by any replica. */
const HANDLED = 'handled.failover.test/';

export interface Handled {
  readonly by: string;
  readonly content: string;
}

export function handledAnnotation(handled: Handled): Record<string, string> {
  return { [`${HANDLED}${randomUUID()}`]: JSON.stringify(handled) };
}

export function handledOf(object: KubernetesObject): Handled[] {
  return Object.entries(object.metadata?.annotations ?? {})
    .filter(([name]) => name.startsWith(HANDLED))
    .map(([, value]) => JSON.parse(value) as Handled);
}
