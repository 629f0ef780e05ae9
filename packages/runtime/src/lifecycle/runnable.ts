/** Something that a manager starts and stops. Controllers, servers and caches are runnables. */
export interface RunSignals {
  /** Take no new work, finish what is in hand, then return. */
  readonly stopping: AbortSignal;
  /** Time is up: cancel what is in hand. Aborts after `stopping`, or together with it. */
  readonly abort: AbortSignal;
}

/** A part of a program that a manager starts and stops. */
export interface Runnable {
  /** Names it in logs and errors. */
  readonly name: string;
  /**
   * Runs until `stopping` aborts and its work has ended. A rejection stops the manager with that error; to
   * return early is fine.
   */
  start(signals: RunSignals): Promise<void>;
  /** Where it stands in the order of start and stop. `work` unless given. */
  readonly stage?: Stage;
  /** For `work`: start it only while this process leads. False unless given. */
  readonly needsLeaderElection?: boolean;
  /** Called after `start`: resolves when it serves (is listening, is in sync). The next stage waits for it. */
  ready?(signal: AbortSignal): Promise<void>;
  /** For what needs leader election: prepare as much as possible (fill caches and queues) without acting. */
  warmup?(signals: RunSignals): Promise<void>;
}

/** In the order of starting: conversion webhooks must serve before caches can list, caches before work begins. */
export const STAGES = ['http', 'webhooks', 'caches', 'work'] as const;
/** When a part of a program is started: in this order, and stopped in the reverse. */
export type Stage = (typeof STAGES)[number];
