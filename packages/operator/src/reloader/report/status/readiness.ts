/**
 * Whether a ReloaderConfig works, as conditions that other tools know. Pure.
 *
 * `Available`: it is active. `Ready`: it is active and has no fault; `kubectl wait`, kstatus, Flux and Argo CD use this
 * one. A config that is not ready is either `Stalled`, until a person acts, or `Reconciling`, if the missing object may
 * still appear. Rollouts and waiting reloads are `Progressing` and leave it ready: a change that waits for Sunday must
 * not block a pipeline.
 */
import type { ConditionUpdate } from '@reloader/runtime';
import { DEGRADING, DISABLING, STALLING } from './reasons.ts';
import type { WatchedSources } from './sources.ts';
import { named, type Statement, told } from './statement.ts';
import { nameOf, type TargetState } from './targets.ts';

export interface Readiness {
  readonly targets: readonly TargetState[];
  readonly sources: WatchedSources;
  readonly statements: readonly Statement[];
  /** The reason why it is switched off, if it is. */
  readonly asleep: Statement | undefined;
}

export function availability({ targets, sources, statements, asleep }: Readiness): ConditionUpdate {
  const off = asleep ?? whyDisabled(statements) ?? whyForbidden(targets);
  if (off) return { type: 'Available', status: 'False', ...off };
  const found = targets.filter(({ facts }) => facts).length;
  const message = `Watching ${count(Object.keys(sources.hashes).length, 'object')} for ${found} of ${count(targets.length, 'target')}`;
  return { type: 'Available', status: 'True', reason: 'Reconciled', message };
}

/** All faults, the most severe first. */
export function faultsIn(statements: readonly Statement[]): Statement[] {
  return statements
    .filter(({ reason }) => DEGRADING.includes(reason))
    .sort((a, b) => DEGRADING.indexOf(a.reason) - DEGRADING.indexOf(b.reason));
}

/** Ready, and Stalled or Reconciling if one of them is true. */
export function readiness(state: Readiness): ConditionUpdate[] {
  const available = availability(state);
  const faults = faultsIn(state.statements);
  if (available.status === 'True' && faults.length === 0) {
    const { reason, message = '' } = available;
    return [{ type: 'Ready', status: 'True', reason, message }];
  }
  const [first] = faults;
  const why =
    available.status === 'False'
      ? { reason: available.reason, message: available.message ?? '' }
      : { reason: first?.reason ?? 'Degraded', message: told(faults) };
  const ready: ConditionUpdate = { type: 'Ready', status: 'False', ...why };
  // Switched off on purpose: there is no fault, and nothing is in progress.
  if (state.asleep) return [ready];
  const stalling = faults.filter(({ reason }) => STALLING.includes(reason));
  const isStalled = stalling.length > 0 || why.reason === 'ReloadsForbidden';
  return [ready, { type: isStalled ? 'Stalled' : 'Reconciling', status: 'True', ...why }];
}

function whyDisabled(statements: readonly Statement[]): Statement | undefined {
  for (const reason of DISABLING) {
    const found = statements.filter((statement) => statement.reason === reason);
    if (found.length > 0) return { reason, message: told(found) };
  }
  return undefined;
}

/** No target can be reloaded, because of its namespace, a flag, or missing rights of the operator. */
function whyForbidden(targets: readonly TargetState[]): Statement | undefined {
  const reasons = targets.map(({ target, problem, view }) => {
    if (problem?.reason === 'CrossNamespaceDenied' || problem?.reason === 'KindUnavailable')
      return problem.message;
    return view?.forbidden ? `${nameOf(target)}: ${view.lastError ?? ''}` : undefined;
  });
  const given = reasons.filter((reason) => reason !== undefined);
  if (targets.length === 0 || given.length < targets.length) return undefined;
  return { reason: 'ReloadsForbidden', message: `No target can be reloaded: ${named(given)}` };
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
