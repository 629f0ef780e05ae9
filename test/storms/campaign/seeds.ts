/** Seeds of the campaign that once failed: they are played in every run. What was wrong is said beside each. */
export const ONCE_BROKEN: readonly number[] = [];
