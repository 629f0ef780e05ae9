/** Order: a change reaches workloads wave by wave, and inside a wave in the steps of a canary. */
import type { Gate } from './gate.ts';

export const wave: Gate = {
  why: 'wave',
  yieldsToNow: true,
  check: ({ order }) => order?.wave,
};

export const canary: Gate = {
  why: 'canary',
  yieldsToNow: true,
  check: ({ order }) => order?.canary,
};
