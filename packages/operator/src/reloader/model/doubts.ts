/** Largest number of reloads, decided by the ages of pods alone, that one start makes without a person's approval. */
export const MOST_DOUBTS = 20;

/** `counting`: this process has not yet examined every workload since it began to decide. */
export type DoubtCount = 'counting' | 'few' | 'many';
