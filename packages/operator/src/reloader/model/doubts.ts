/** Reloads that times alone speak for: how many of them at one start are made without asking anybody. */
export const MOST_DOUBTS = 20;

/** `counting`: not everybody was looked at since this process decides. */
export type DoubtCount = 'counting' | 'few' | 'many';
