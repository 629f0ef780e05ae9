export { type Elector, type ElectorCallbacks, LeaseLostError } from './election-contract.ts';
export type { Runnable, RunSignals, Stage } from './runnable.ts';
