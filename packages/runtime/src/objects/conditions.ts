/**
 * metav1.Condition lists as values: every function returns a new list and leaves its input alone.
 *
 * `lastTransitionTime` moves only when the status of a condition changes. Ready, Reconciling and Stalled are
 * kept as kstatus reads them: at most one of Reconciling and Stalled, and neither beside Ready=True.
 */

import { ConfigurationError } from '../model/errors.ts';
import type { Condition } from '../model/types.ts';
import { timestamp } from './time.ts';

/** Whether a condition holds. */
export type ConditionStatus = Condition['status'];

/** A condition to set; its times are managed. */
export interface ConditionUpdate {
  readonly type: string;
  readonly status: ConditionStatus;
  /** One CamelCase word for programs. */
  readonly reason: string;
  /** A sentence for people. Cut at 32 768 bytes. */
  readonly message?: string | undefined;
  /** The `metadata.generation` that was observed. */
  readonly observedGeneration?: number | undefined;
}

/** Reason, message and generation of the three marks below. */
export type ConditionText = Omit<ConditionUpdate, 'type' | 'status'>;

/** The condition cannot be stored: the message names the field and the reason. */
export class ConditionError extends ConfigurationError {
  override name = 'ConditionError';
}

const LONGEST_MESSAGE_BYTES = 32_768;
const TYPE = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const REASON = /^[A-Z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/**
 * Sets one condition. `now` is in milliseconds, from the reconcile's clock, so that a test controls it;
 * inside a pass of the builder, `pass.condition` supplies it.
 *
 * @example
 * ```ts
 * const update = { type: 'Synced', status: 'True', reason: 'InStep' } as const;
 * status.conditions = setCondition(status.conditions, update, context.clock.now());
 * ```
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  update: ConditionUpdate,
  now: number,
): Condition[] {
  validate(update);
  const before = findCondition(conditions, update.type);
  const next: Condition = {
    type: update.type,
    status: update.status,
    reason: update.reason,
    message: trimMessage(update.message ?? ''),
    lastTransitionTime: before?.status === update.status ? before.lastTransitionTime : timestamp(now),
  };
  // Without a generation the old one must be dropped: keeping it would claim that it was observed.
  if (update.observedGeneration !== undefined) next.observedGeneration = update.observedGeneration;
  const list = [...(conditions ?? [])];
  const index = list.findIndex(({ type }) => type === update.type);
  if (index < 0) list.push(next);
  else list[index] = next;
  return inOrder(list);
}

/** The condition of a type, if there is one. */
export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether a condition exists and is True. */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** The conditions without those of a type. */
export function removeCondition(
  conditions: readonly Condition[] | undefined,
  ...types: readonly string[]
): Condition[] {
  return (conditions ?? []).filter((condition) => !types.includes(condition.type));
}

/** The work is done: Ready=True, neither Reconciling nor Stalled. */
export function markReady(
  conditions: readonly Condition[] | undefined,
  text: ConditionText,
  now: number,
): Condition[] {
  const rest = removeCondition(conditions, 'Reconciling', 'Stalled');
  return setCondition(rest, { ...text, type: 'Ready', status: 'True' }, now);
}

/** The work goes on: Reconciling=True, Ready=Unknown, not Stalled. */
export function markReconciling(
  conditions: readonly Condition[] | undefined,
  text: ConditionText,
  now: number,
): Condition[] {
  const rest = removeCondition(conditions, 'Stalled');
  const ready = setCondition(rest, { ...text, type: 'Ready', status: 'Unknown' }, now);
  return setCondition(ready, { ...text, type: 'Reconciling', status: 'True' }, now);
}

/** Nothing will happen until a person changes something: Stalled=True, Ready=False, not Reconciling. */
export function markStalled(
  conditions: readonly Condition[] | undefined,
  text: ConditionText,
  now: number,
): Condition[] {
  const rest = removeCondition(conditions, 'Reconciling');
  const ready = setCondition(rest, { ...text, type: 'Ready', status: 'False' }, now);
  return setCondition(ready, { ...text, type: 'Stalled', status: 'True' }, now);
}

/** One word for the whole object, always derived from its conditions, never an input. */
export function phaseOf(conditions: readonly Condition[] | undefined): 'Ready' | 'Stalled' | 'Progressing' {
  if (isConditionTrue(conditions, 'Ready')) return 'Ready';
  return isConditionTrue(conditions, 'Stalled') ? 'Stalled' : 'Progressing';
}

const FIRST = ['Stalled', 'Reconciling', 'Ready'];

/** Ready, Reconciling and Stalled come first; the others keep their order. */
function inOrder(conditions: Condition[]): Condition[] {
  const rank = ({ type }: Condition): number => (FIRST.includes(type) ? FIRST.indexOf(type) : FIRST.length);
  return conditions.sort((a, b) => rank(a) - rank(b));
}

function validate({ type, status, reason }: ConditionUpdate): void {
  if (!TYPE.test(type) || type.length > 316) {
    throw new ConditionError(`Condition type "${type}" is not valid: use a CamelCase word such as "Ready"`);
  }
  if (status !== 'True' && status !== 'False' && status !== 'Unknown') {
    throw new ConditionError(
      `Condition ${type} has status "${String(status)}": it must be "True", "False" or "Unknown"`,
    );
  }
  if (!REASON.test(reason) || reason.length > 1024) {
    throw new ConditionError(
      `Condition ${type} has reason "${reason}": it must be one CamelCase word such as "DeploymentFailed"`,
    );
  }
}

function trimMessage(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= LONGEST_MESSAGE_BYTES) return message;
  const mark = '...';
  let end = LONGEST_MESSAGE_BYTES - mark.length;
  // Do not cut a UTF-8 sequence: step back over its continuation bytes.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + mark;
}
