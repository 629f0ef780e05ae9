/**
 * The conditions of a ReloaderConfig. Pure: the same input gives the same list, and a transition time changes only with
 * the status of its condition.
 *
 * Available, Ready, Progressing and Degraded always exist; the others only while they are true.
 */
import { type Condition, type ConditionUpdate, removeCondition, setCondition } from '@reloader/runtime';
import { blockedText } from '../texts.ts';
import { availability, faultsIn, readiness } from './readiness.ts';
import { SPECIAL } from './reasons.ts';
import { named, type Statement, told } from './statement.ts';
import { type StatementInput, statementsOf } from './statements.ts';
import { nameOf, type TargetState } from './targets.ts';

export interface ConditionInput extends StatementInput {
  /** Whether a rollout of one of our reloads is running. */
  readonly isRolling: (target: TargetState) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function conditionsOf(before: readonly Condition[] | undefined, input: ConditionInput): Condition[] {
  const { config, now, targets, sources } = input;
  const asleep = whyAsleep(input);
  const statements = asleep ? [] : statementsOf(input);
  const state = { targets, sources, statements, asleep };
  const [ready, ...underReady] = readiness(state);
  const updates: ConditionUpdate[] = [
    availability(state),
    ...(ready ? [ready] : []),
    asleep ? { type: 'Progressing', status: 'False', ...asleep } : progressing(input),
    asleep ? { type: 'Degraded', status: 'False', ...asleep } : degraded(statements),
    ...underReady,
    ...SPECIAL.flatMap((type): ConditionUpdate[] => {
      const message = told(statements.filter(({ reason }) => reason === type));
      return message === '' ? [] : [{ type, status: 'True', reason: type, message }];
    }),
  ];
  // Remove only conditions that no longer hold, so that the others keep their transition time.
  const isSaid = (type: string): boolean => updates.some((update) => update.type === type);
  const gone = [...SPECIAL, 'Stalled', 'Reconciling'].filter((type) => !isSaid(type));
  let conditions = removeCondition(before, ...gone);
  for (const update of updates) {
    conditions = setCondition(conditions, { ...update, observedGeneration: config.generation }, now);
  }
  return inOrder(conditions, updates);
}

/** The order of `updates`, with the permanent conditions first; conditions of others come last. */
function inOrder(conditions: readonly Condition[], updates: readonly ConditionUpdate[]): Condition[] {
  const place = ({ type }: Condition): number => updates.findIndex((update) => update.type === type);
  const ours = conditions.filter((condition) => place(condition) >= 0);
  const foreign = conditions.filter((condition) => place(condition) < 0);
  return [...ours.sort((a, b) => place(a) - place(b)), ...foreign];
}

function whyAsleep({ config, world }: ConditionInput): Statement | undefined {
  const { namespace } = config.metadata;
  if (!world.inScope(namespace)) {
    const message = `Namespace ${namespace} is one that this operator ignores: it reads no Secrets and ConfigMaps there, and reloads nothing there`;
    return { reason: 'OutOfScope', message };
  }
  if (!config.ignored) return undefined;
  const message = 'The annotation reloader.stakater.com/ignore switches this object off: remove it to go on';
  return { reason: 'Ignored', message };
}

function progressing({ targets, isRolling }: ConditionInput): ConditionUpdate {
  const blocked = targets.flatMap(({ target, view }) =>
    view?.eviction?.blocked ? [`${nameOf(target)}: ${blockedText(view.eviction.blocked)}`] : [],
  );
  if (blocked.length > 0) {
    return { type: 'Progressing', status: 'True', reason: 'EvictionBlocked', message: named(blocked) };
  }
  const rolling = targets.filter((state) => state.view?.eviction !== undefined || isRolling(state));
  if (rolling.length > 0) {
    const message = named(rolling.map(({ target, view }) => `${nameOf(target)}: ${underWay(view)}`));
    return { type: 'Progressing', status: 'True', reason: 'RollingOut', message };
  }
  const held = targets.flatMap(({ target, view }) => {
    const { deferred } = view ?? {};
    if (!deferred || deferred.why === 'settling' || deferred.why === 'observing') return [];
    return [`${nameOf(target)} (${deferred.why}): ${deferred.message}`];
  });
  if (held.length > 0) {
    return { type: 'Progressing', status: 'True', reason: 'Deferred', message: named(held) };
  }
  return { type: 'Progressing', status: 'False', reason: 'Reconciled', message: 'Nothing is under way' };
}

function underWay(view: TargetState['view']): string {
  return view?.eviction ? 'its pods are evicted one by one' : (view?.rollout.message ?? '');
}

function degraded(statements: readonly Statement[]): ConditionUpdate {
  const wrong = faultsIn(statements);
  const [first] = wrong;
  if (first) return { type: 'Degraded', status: 'True', reason: first.reason, message: told(wrong) };
  const filtered = told(statements.filter(({ reason }) => reason === 'SourceFiltered'));
  const message = filtered === '' ? 'Everything was found' : `Everything was found; not watched: ${filtered}`;
  return { type: 'Degraded', status: 'False', reason: 'Reconciled', message };
}
