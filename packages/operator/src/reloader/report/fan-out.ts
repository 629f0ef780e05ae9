/** The warning about a source that very many workloads use, before it changes. */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';

/** Undefined: below the limit, or the warning is switched off (`most` is 0). */
export function fanOutText(what: string, together: number, most: number): string | undefined {
  if (most === 0 || together <= most) return undefined;
  return `A change of ${what} restarts ${together} workloads at the same time (more than --warn-fan-out=${most}). Limit how many roll out at a time: maxConcurrent of the ReloaderConfig, annotation ${FIXED_ANNOTATIONS.maxConcurrent} on the Namespace, or --max-unfinished-rollouts`;
}
