export { type ExponentialBackoffOptions, exponentialBackoff, type RetryBackoff } from './backoff.ts';
export type { AddOptions, DebounceOptions, KeyInspection, QueueItem, WorkQueueOptions } from './options.ts';
export type { StartLimitOptions } from './start-limit.ts';
export type { TokenBucketOptions } from './token-bucket.ts';
export { WorkQueue } from './work-queue.ts';
