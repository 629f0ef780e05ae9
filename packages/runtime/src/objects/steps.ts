/**
 * Sub-reconcilers: the work for one object as a list of named steps.
 *
 * In order: each step runs after the one before has finished; the first that fails, or that returns a result
 * (for instance "look again in ten seconds"), ends the list. All at once: every step runs, and all failures
 * are reported together. Either way an error says which step it came from and keeps its cause.
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

/**
 * Runs all steps at the same time and waits for all of them. Rejects with an `AggregateError` of `StepError`s
 * (in the order of the list, the first as its cause) when any failed; else returns the results, without the
 * steps that gave none.
 */
export async function runAllSteps<C, R>(
  context: C,
  steps: readonly Step<C, R>[],
  signal?: AbortSignal,
): Promise<StepResult<R>[]> {
  signal?.throwIfAborted();
  const outcomes = await Promise.allSettled(steps.map(async ({ run }) => await run(context)));
  const errors: StepError[] = [];
  const results: StepResult<R>[] = [];
  outcomes.forEach((outcome, index) => {
    const step = steps[index]?.name ?? '';
    if (outcome.status === 'rejected') errors.push(new StepError(step, outcome.reason));
    else if (outcome.value !== undefined) results.push({ step, result: outcome.value });
  });
  if (errors.length > 0) {
    const names = errors.map(({ step }) => `"${step}"`).join(', ');
    const [cause] = errors;
    throw new AggregateError(errors, `${errors.length} of ${steps.length} steps failed: ${names}`, { cause });
  }
  return results;
}
