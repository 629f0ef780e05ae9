/** Seeds of the campaign that once failed: they are played in every run. Beside each stands what was wrong. */
export const ONCE_BROKEN: readonly number[] = [
  // The play: the end of one freeze took off a second one of the same workload, and the judge counted on both.
  10,
  // The operator: a change that waited when the digest key was lost was taken for older than a record of a clock ahead.
  22,
];

/**
 * Seeds that still fail. A run demands that they do, so that the one who mends the cause moves them to the list above.
 */
export const STILL_BROKEN: readonly number[] = [
  // The count of a ReloaderConfig misses two reloads after the digest key was lost and an old notebook was put back while
  // one front end of the API server lagged. No restart is lost or repeated.
  2,
];
