/** Something that a manager starts and stops. Controllers, servers and caches are runnables. */
export interface RunSignals {
  /** Start no new work, finish running work, then return. */
  readonly stopping: AbortSignal;
  /** Cancel running work. Aborts after `stopping`, or together with it. */
  readonly abort: AbortSignal;
}

/** A part of a program that a manager starts and stops. */
export interface Runnable {
  /** Name in logs and errors. */
  readonly name: string;
  /**
   * Runs until `stopping` aborts and its work has ended. A rejection stops the manager with that error; returning
   * early is fine.
   */
  start(signals: RunSignals): Promise<void>;
  /** Its stage in the order of start and stop. `work` unless given. */
  readonly stage?: Stage;
  /**
   * Start it only while this process leads; with an election, that is after all stages have started. False unless
   * given.
   */
  readonly needsLeaderElection?: boolean;
  /** Called after `start`: resolves when it is ready (listening, synced). The next stage waits for it. */
  ready?(signal: AbortSignal): Promise<void>;
  /** For runnables that need leader election: prepare as much as possible (fill caches and queues) without acting. */
  warmup?(signals: RunSignals): Promise<void>;
}

/** In the order of starting: conversion webhooks must serve before caches can list, caches before work begins. */
export const STAGES = ['http', 'webhooks', 'caches', 'work'] as const;
/** When a part of a program is started: in this order, and stopped in the reverse. */
export type Stage = (typeof STAGES)[number];
