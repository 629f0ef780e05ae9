/** Derives the conditions, and whether to record an Event, from how a pass ended. */
import { classifyError } from '../controller/errors.ts';
import { failureOfFetch, pointsAtBug } from '../logging/plain-value.ts';
import type { Condition } from '../model/types.ts';
import {
  type ConditionText,
  findCondition,
  markReady,
  markReconciling,
  markStalled,
  setCondition,
} from '../objects/conditions.ts';
import { StepError } from '../objects/steps.ts';
import type { Ending, Managed, Pass, PassOutcome, StatusDraft } from './types.ts';

export const READY_TEXT: ConditionText = { reason: 'Reconciled', message: 'Everything is as specified' };

export function endingOf<T extends Managed>(pass: Pass<T>, outcome: PassOutcome): Ending<T> {
  if (outcome?.reconciling) return { state: 'reconciling', text: outcome.reconciling, pass };
  return { state: 'ready', text: outcome?.ready ?? READY_TEXT, pass };
}

/** Errors that only a person can fix, or nobody, make the object Stalled; every other error is retried. */
export function endingOfError<T extends Managed>(pass: Pass<T>, error: unknown): Ending<T> {
  const kind = classifyError(error);
  const state = kind === 'configuration' || kind === 'terminal' ? 'stalled' : 'failing';
  return { state, text: textOf(error), pass, error };
}

/** `Ready`, `Reconciling` and `Stalled` as kstatus and `kubectl wait` read them. */
export function standardSummary<T extends Managed>(
  ending: Ending<T>,
  status: StatusDraft<T>,
  now: number,
): void {
  const { generation } = ending.pass.object.metadata;
  const text = { ...ending.text, ...(generation !== undefined && { observedGeneration: generation }) };
  if (ending.state === 'ready') status.conditions = markReady(status.conditions, text, now);
  else if (ending.state === 'stalled') status.conditions = markStalled(status.conditions, text, now);
  else {
    status.conditions = markReconciling(status.conditions, text, now);
    // The pass returned `reconciling` with a reason, so Ready is False and not just Unknown.
    if (ending.state === 'failing') {
      status.conditions = setCondition(status.conditions, { ...text, type: 'Ready', status: 'False' }, now);
    }
  }
}

/** An Event to record. */
export interface Told {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/**
 * An Event is recorded when Ready becomes True or its reason changes while it is not, never for an unchanged result.
 */
export function transitionOf(
  before: Condition | undefined,
  after: Condition | undefined,
  failed: boolean,
): Told | undefined {
  if (!after || (after.reason === before?.reason && after.status === before.status)) return undefined;
  return { type: failed ? 'Warning' : 'Normal', reason: after.reason, message: after.message };
}

/** Without a status nothing says what was told before: every failure is, and the recorder counts equal ones. */
export function warningOf(failure: ConditionText | undefined): Told | undefined {
  return failure && { type: 'Warning', reason: failure.reason, message: failure.message ?? '' };
}

export const readyOf = (
  status: { conditions?: Condition[] | undefined } | undefined,
): Condition | undefined => findCondition(status?.conditions, 'Ready');

/** Reason and message of a failure, whatever was thrown. */
export function textOf(error: unknown): ConditionText {
  try {
    return { reason: reasonOf(error), message: messageOf(error) || 'The pass failed without a message' };
  } catch {
    return { reason: FAILED, message: 'The pass threw something that cannot be read' };
  }
}

const FAILED = 'ReconcileFailed';
/** The API server takes no longer reason. */
const CAMEL_CASE = /^[A-Z][A-Za-z0-9]{0,1023}$/;

/** The reason: the author's own, the failed step, or the class of the error. */
function reasonOf(error: unknown, outer: readonly unknown[] = []): string {
  if (!(error instanceof Error) || outer.includes(error)) return FAILED;
  if (pointsAtBug(error)) return 'InternalError';
  if (error instanceof StepError) return wordOf(`${error.step}Failed`);
  const { reason } = error as { reason?: unknown };
  if (typeof reason === 'string' && CAMEL_CASE.test(reason)) return reason;
  const generic = error.name === 'Error' || error instanceof AggregateError || failureOfFetch(error);
  return generic ? reasonOf(error.cause, [...outer, error]) : wordOf(error.name.replace(/Error$/, ''));
}

const wordOf = (text: string): string => (CAMEL_CASE.test(text) ? text : FAILED);

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const wrapped = failureOfFetch(error);
  if (wrapped) return `${error.message}: ${wrapped.message}`;
  if (!(error instanceof AggregateError) || error.errors.length === 0) return error.message;
  return [error.message, error.errors.map(messageOf).join('; ')].filter((text) => text !== '').join(': ');
}
