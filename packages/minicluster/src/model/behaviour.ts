/** Behaviour of simulated pods, and the annotation that sets it with kubectl alone. */

export interface PodBehaviour {
  /** From being bound to a node to running containers. */
  readonly startMs?: number;
  /** From running to ready. */
  readonly readyMs?: number;
  /** From the termination signal to the pod's removal. Never longer than its grace period. */
  readonly stopMs?: number;
  /** How long a container of a Job runs. */
  readonly runMs?: number;
  /**
   * `crash`: the container exits with 1 soon after its start, again and again. `never-ready`: runs, but its readiness
   * probe fails. `image-pull-error`: never starts. `fail`: a Job's container exits with 1 when it is done.
   */
  readonly fault?: 'crash' | 'never-ready' | 'image-pull-error' | 'fail';
}

/** Applies while the key has that value; read at container start, as a real pod reads its configuration. */
export interface ConfigCondition {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly key: string;
  readonly value: string;
}

/**
 * On a pod or a pod template: the fields of a `PodBehaviour` as JSON, with `when` if it is conditional.
 * `{"fault":"crash","when":{"kind":"ConfigMap","name":"settings","key":"mode","value":"broken"}}`
 */
export const BEHAVIOUR_ANNOTATION = 'minicluster.dev/behaviour';

const TIMES = ['startMs', 'readyMs', 'stopMs', 'runMs'];
const FAULTS = ['crash', 'never-ready', 'image-pull-error', 'fail'];
const CONDITION = ['kind', 'name', 'key', 'value'];

/** The error of the annotation's text; undefined if it is valid. */
export function behaviourProblem(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'must be JSON';
  }
  if (!isMap(value)) return 'must be a JSON object';
  for (const [field, content] of Object.entries(value)) {
    const problem = fieldProblem(field, content);
    if (problem) return problem;
  }
  return undefined;
}

function fieldProblem(field: string, content: unknown): string | undefined {
  if (TIMES.includes(field)) {
    const isTime = typeof content === 'number' && content >= 0;
    return isTime ? undefined : `${field} must be a number of milliseconds`;
  }
  if (field === 'fault') {
    return FAULTS.includes(content as string) ? undefined : `fault must be one of ${FAULTS.join(', ')}`;
  }
  if (field !== 'when') return `there is no field ${field}: use ${[...TIMES, 'fault', 'when'].join(', ')}`;
  const complete = isMap(content) && CONDITION.every((name) => typeof content[name] === 'string');
  if (!complete) return `when must have ${CONDITION.join(', ')}, each a text`;
  return content.kind === 'ConfigMap' || content.kind === 'Secret'
    ? undefined
    : 'when.kind must be ConfigMap or Secret';
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
