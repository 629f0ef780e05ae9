/** Dependencies of everything that re-creates Jobs. */
import { kinds, type ResourceType } from '@reloader/runtime';
import type { PatchContext } from './context.ts';
import type { RawJob } from './job-copy.ts';
import type { KeptJobs } from './kept-jobs.ts';

export const JOBS: ResourceType<RawJob> = kinds.Job;

export interface JobContext extends PatchContext {
  readonly kept: KeptJobs;
}

export function keyOfJob({ metadata }: RawJob): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
}
