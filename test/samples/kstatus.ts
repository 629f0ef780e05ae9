/**
 * The verdict of kstatus, and with it of Flux' `healthChecks`, on an object of a kind that it does not know: first the
 * observed generation, then the conditions Reconciling and Stalled, then Ready.
 */
import type { Condition } from '@reloader/runtime';

export type KStatus = 'InProgress' | 'Failed' | 'Current';

export interface Observed {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

export function kstatusOf({ metadata, status }: Observed): KStatus {
  const { observedGeneration, conditions = [] } = status ?? {};
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return 'InProgress';
  const holds = (type: string): string | undefined => conditions.find((each) => each.type === type)?.status;
  if (holds('Reconciling') === 'True') return 'InProgress';
  if (holds('Stalled') === 'True') return 'Failed';
  const ready = holds('Ready');
  if (ready === undefined || ready === 'True') return 'Current';
  return 'InProgress';
}
