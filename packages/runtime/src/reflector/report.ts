/** Reports state changes of a reflector in logs and metrics, once per change and not once per attempt. */
import { type ResourceType, resourceName } from '../client/resource.ts';
import type { Logger } from '../logging/logger.ts';
import type { KubernetesObject } from '../model/types.ts';
import {
  type Problem,
  phaseOf,
  type ReflectorPhase,
  type RelistCause,
  type State,
  type Transition,
} from './state.ts';

export interface ReflectorObserver {
  phaseChanged?(phase: ReflectorPhase): void;
  problem?(problem: Problem): void;
  relist?(cause: RelistCause): void;
  /** A received value was not an object of this kind, and was skipped. */
  malformed?(reason: string): void;
}

interface Audience {
  readonly type: ResourceType;
  readonly observer?: ReflectorObserver | undefined;
  readonly logger?: Logger | undefined;
}

export function reportTransition<T extends KubernetesObject>(
  audience: Audience,
  before: State,
  transition: Transition<T>,
): void {
  const { observer, logger, type } = audience;
  const { problem, relist, state } = transition;
  if (problem) observer?.problem?.(problem);
  if (relist) observer?.relist?.(relist);
  const earlier = phaseOf(before);
  const phase = phaseOf(state);
  if (earlier !== phase) observer?.phaseChanged?.(phase);
  if (!logger) return;
  const name = resourceName(type);
  const changed = nameOf(earlier) !== nameOf(phase);
  if ('error' in phase && changed) logger.warn(explain(phase.phase, name), { error: phase.error });
  else if (problem)
    logger.debug(`Reading ${name} was interrupted`, { kind: problem.kind, error: problem.error });
  if (problem?.kind === 'idle') {
    const { stalls } = state.memory;
    // Once is no problem: an API server that has just started sends no bookmarks of a kind that nobody has written yet.
    logger[stalls > 1 ? 'warn' : 'info'](silence(name, stalls), { stalls });
  }
  if ('error' in earlier && !('error' in phase)) logger.info(`Reading ${name} works again`);
  if (relist) logger.info(`Reading all ${name} again`, { cause: relist });
}

/** Two failures are the same to a reader if phase and error kind are equal. */
function nameOf(phase: ReflectorPhase): string {
  return 'error' in phase ? `${phase.phase} ${phase.error.name}` : '';
}

function explain(phase: 'backing-off' | 'forbidden' | 'missing', name: string): string {
  switch (phase) {
    case 'forbidden':
      return `Not allowed to read ${name}: grant the verbs list and watch; it is tried again meanwhile`;
    case 'missing':
      return `The server does not serve ${name}: install its definition; it is tried again meanwhile`;
    case 'backing-off':
      return `Cannot read ${name} now; retrying with exponential backoff`;
  }
}

function silence(name: string, stalls: number): string {
  return `The connection of the watch on ${name} was silent and was replaced${stalls > 1 ? `, ${stalls} times in a row` : ''}`;
}
