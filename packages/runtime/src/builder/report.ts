/**
 * Runs the author's function, writes the status and records an Event when it changed.
 *
 * Guarantees: the status is written once, also when the function threw; a status that could not be written is told by a
 * Warning Event, and no Event claims a state that the status does not show.
 */
import type { ResourceType } from '../client/resource.ts';
import { isSuperseded, ReconcileTimeoutError } from '../controller/errors.ts';
import type { ReconcileContext } from '../controller/reconciler.ts';
import { referenceTo } from '../events/event.ts';
import type { Stored } from '../model/types.ts';
import { type ConditionText, phaseOf } from '../objects/conditions.ts';
import type { ConflictRetryOptions } from '../objects/conflict.ts';
import { type WithStatus, withStatus } from '../objects/status.ts';
import { createPass, type PassParts } from './create-pass.ts';
import {
  endingOf,
  endingOfError,
  readyOf,
  standardSummary,
  type Told,
  textOf,
  transitionOf,
  warningOf,
} from './summary.ts';
import type { Ending, Managed, Pass, PassOutcome, PassResult, StatusDraft } from './types.ts';

/** Runs the author's function with a status draft, and writes the draft afterwards even if the function threw. */
export async function withReport<T extends Managed>(
  parts: PassParts<T>,
  object: Stored<T>,
  context: ReconcileContext,
  work: (pass: Pass<T>) => Promise<PassOutcome>,
  what: 'reconcile' | 'cleanup',
): Promise<PassResult> {
  const { declaration, client, events } = parts;
  const { settings } = declaration;
  const before = readyOf(object.status);
  let after = before;
  let ended: Ending<T> | undefined;
  let thrown: unknown;
  const run = async (draft: object): Promise<PassResult> => {
    const status = draft as StatusDraft<T>;
    const pass = createPass(parts, object, context, status);
    const conclude = (ending: Ending<T>): void => {
      (settings.summary ?? standardSummary)(ending, status, context.clock.now());
      const { generation } = object.metadata;
      if (generation !== undefined && (settings.observedGeneration ?? true))
        status.observedGeneration = generation;
      if (settings.phase ?? true) status.phase = phaseOf(status.conditions);
      ended = ending;
      after = readyOf(status);
    };
    let outcome: PassOutcome;
    try {
      outcome = await work(pass);
      // The same as throwing it, also for a cleanup, whose finalizer then stays.
      if (outcome?.error !== undefined) throw outcome.error;
    } catch (error) {
      thrown = error;
      const told = errorToTell(error, context);
      if (told) conclude(endingOfError(pass, told.error));
      throw error;
    }
    // The object is gone after its cleanup: there is no status left to write.
    if (what === 'reconcile' || outcome) conclude(endingOf(pass, outcome));
    return outcome ?? {};
  };
  const tell = (change: Told | undefined): void => {
    if (!change || !(settings.transitionEvents ?? true)) return;
    events.record(referenceTo(declaration.type, object), change.type, change.reason, change.message);
  };
  const failureOf = (ending: Ending<T> | undefined): ConditionText | undefined =>
    ending && 'error' in ending ? ending.text : undefined;
  if (settings.status === false) {
    try {
      return await run({});
    } finally {
      tell(warningOf(failureOf(ended)));
    }
  }
  try {
    // The draft's type matches `withStatus`: it writes this object's own status.
    const type = declaration.type as ResourceType<WithStatus>;
    const result = await withStatus(client, type, object as Stored<WithStatus>, run, saving(context));
    tell(transitionOf(before, after, failureOf(ended) !== undefined));
    return result;
  } catch (error) {
    if (error === thrown) tell(transitionOf(before, after, true));
    else if (!context.signal.aborted) tell(warningOf(textOf(failedWrite(error))));
    throw error;
  }
}

/** Undefined if the pass was superseded or the program ends: neither says anything about the object. A timeout does. */
function errorToTell(error: unknown, { signal }: ReconcileContext): { readonly error: unknown } | undefined {
  if (isSuperseded(error)) return undefined;
  if (!signal.aborted) return { error };
  return signal.reason instanceof ReconcileTimeoutError ? { error: signal.reason } : undefined;
}

/** The status of a pass that timed out is written without the signal, which has aborted. */
function saving({ signal, clock }: ReconcileContext): ConflictRetryOptions {
  return {
    clock,
    get signal() {
      return signal.reason instanceof ReconcileTimeoutError ? undefined : signal;
    },
  };
}

/** `withStatus` reports a write that failed after failed work together with it, and last. */
function failedWrite(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors.at(-1) : error;
}
