/**
 * Sub-reconcilers: the work for one object as a list of named steps.
 *
 * Each step runs after the one before has finished; the first that fails, or that returns a result (for instance
 * "requeue in ten seconds"), ends the list. An error names its step and keeps its cause.
 */

export interface Step<C, R> {
  /** A name for people: "ConfigMap", "Deployment". */
  readonly name: string;
  /** Returning a result ends an ordered list early; returning nothing lets the next step run. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a step that returns nothing lets the next one run
  readonly run: (context: C) => Promise<R | void>;
}

/** A step failed; `cause` is its error. */
export class StepError extends Error {
  override name = 'StepError';
  readonly step: string;

  constructor(step: string, cause: unknown) {
    super(`Step "${step}" failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.step = step;
  }
}

/** The step at which an ordered list ended early. */
export interface StepResult<R> {
  readonly step: string;
  readonly result: R;
}

/** Runs the steps in order. Returns undefined if all of them completed. */
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
