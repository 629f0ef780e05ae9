/** One source that so many workloads use that somebody should know before it changes. */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';

/** Undefined: not so many, or nobody wants to know (`most` is 0). */
export function fanOutText(what: string, together: number, most: number): string | undefined {
  if (most === 0 || together <= most) return undefined;
  return `A change of ${what} restarts ${together} workloads at the same time (more than --warn-fan-out=${most}). Limit how many roll out at a time: maxConcurrent of the ReloaderConfig, annotation ${FIXED_ANNOTATIONS.maxConcurrent} on the Namespace, or --max-unfinished-rollouts`;
}
