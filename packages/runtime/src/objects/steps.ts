/**
 * Sub-reconcilers: the work for one object as a list of named steps.
 *
 * Each step runs after the one before has finished; the first that fails, or that returns a result (for instance
 * "look again in ten seconds"), ends the list. An error says which step it came from and keeps its cause.
 */

export interface Step<C, R> {
  /** As people would call it: "ConfigMap", "Deployment". */
  readonly name: string;
  /** Returning a result ends an ordered list early; returning nothing lets the next step run. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a step that ends without a word lets the next one run
  readonly run: (context: C) => Promise<R | void>;
}

/** One step failed; `cause` is what it threw. */
export class StepError extends Error {
  override name = 'StepError';
  readonly step: string;

  constructor(step: string, cause: unknown) {
    super(`Step "${step}" failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.step = step;
  }
}

/** Where an ordered list ended early. */
export interface StepResult<R> {
  readonly step: string;
  readonly result: R;
}

/** Runs the steps one after the other. Returns undefined when all of them ran to the end. */
export async function runSteps<C, R>(
  context: C,
  steps: readonly Step<C, R>[],
  signal?: AbortSignal,
): Promise<StepResult<R> | undefined> {
  for (const { name, run } of steps) {
    signal?.throwIfAborted();
    const result = await run(context).catch((error: unknown) => {
      throw new StepError(name, error);
    });
    if (result !== undefined) return { step: name, result };
  }
  return undefined;
}
