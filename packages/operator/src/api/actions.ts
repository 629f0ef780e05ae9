/**
 * Actions of a person on the page: freeze, unfreeze, approve, reload now.
 *
 * In: the name of an action and its body. Out: one annotation of one object, and an answer for the person. The caller
 * provides `annotate`, which writes with the person's own client, or with the operator's client after Kubernetes
 * confirmed that the person may patch that object. Guarantees: an approval lets through the change that the person saw,
 * and no other.
 */
import {
  ApiError,
  ForbiddenError,
  type KubernetesObject,
  NotFoundError,
  type ObjectKey,
  type ResourceType,
} from '@reloader/runtime';
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { Namespaces, WORKLOAD_TYPES } from '../reloader/model/kinds.ts';
import { WORKLOAD_KINDS, type WorkloadKind, type WorkloadRef } from '../reloader/model/workload.ts';
import type { ActionAnswer, ActionName, ActionRequest, Explanation } from './shapes.ts';
import { changeThatWaits, type Word } from './word.ts';

export const ACTIONS: readonly ActionName[] = ['freeze', 'unfreeze', 'approve', 'now'];

/** In characters: the page shows no more of it. */
const LONGEST_REASON = 200;

export interface Acted {
  readonly status: number;
  readonly body: unknown;
  /** The method that actions have, if one was sent by another. */
  readonly allow?: string;
}

/** The object that is annotated: a workload, or a Namespace. */
export interface Subject {
  readonly type: ResourceType<KubernetesObject>;
  readonly key: ObjectKey;
}

/** Null removes an annotation. */
export type Annotations = Readonly<Record<string, string | null>>;

export interface ActOptions {
  /** Rejects with `ActionRefusedError` or an error of Kubernetes if the person may not patch the object. */
  readonly annotate: (subject: Subject, annotations: Annotations, action: ActionName) => Promise<void>;
  /** The namespace whose annotation freezes the whole cluster. */
  readonly operatorNamespace: () => Promise<string>;
  /** Undefined for a workload that the operator does not watch. */
  readonly explain: (workload: WorkloadRef) => Promise<Explanation | undefined>;
}

/** Thrown by `annotate` if the person may not patch the object; the person sees the message. */
export class ActionRefusedError extends Error {
  override name = 'ActionRefusedError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The longest name of a field manager that Kubernetes accepts. */
const LONGEST_MANAGER = 128;

/** The field manager of a person's action: shown in managedFields, and so in the audit log and on the page. */
export function managerOf(user: string): string {
  return `reloader-ui/${user.replace(/[^\x20-\x7e]/g, '?')}`.slice(0, LONGEST_MANAGER);
}

export async function act(name: string, body: unknown, options: ActOptions): Promise<Acted> {
  const action = ACTIONS.find((each) => each === name);
  if (!action) return refused(404, `There are ${ACTIONS.join(', ')}`);
  const { target, change, reason } = (body ?? {}) as Readonly<Record<keyof ActionRequest, unknown>>;
  try {
    if (action === 'approve' || action === 'now')
      return await letThrough(action, workloadOf(target), change, options);
    const subject = await subjectOf(target, options);
    if (!subject)
      return refused(400, 'target is {kind, namespace, name} of a workload, {namespace} or {cluster: true}');
    if (reason !== undefined && (typeof reason !== 'string' || reason.length > LONGEST_REASON))
      return refused(400, `reason is a text of at most ${LONGEST_REASON} characters`);
    const isFreeze = action === 'freeze';
    await options.annotate(
      subject,
      {
        [FIXED_ANNOTATIONS.freeze]: isFreeze ? 'true' : null,
        // Without a new reason, the reason of an earlier freeze is removed.
        [FIXED_ANNOTATIONS.freezeReason]: (isFreeze && reason?.trim()) || null,
      },
      action,
    );
    return done(action);
  } catch (error) {
    if (error instanceof ActionRefusedError) return refused(error.status, error.message);
    if (error instanceof ForbiddenError || error instanceof NotFoundError)
      return refused(error.code, error.message);
    if (error instanceof ApiError) return refused(502, error.message);
    throw error;
  }
}

/** Lets through the change that the person saw. A newer change is refused: the person did not agree to it. */
async function letThrough(
  word: Word,
  workload: WorkloadRef | undefined,
  change: unknown,
  { explain, annotate }: ActOptions,
): Promise<Acted> {
  if (!workload || typeof change !== 'string' || change === '')
    return refused(400, 'target is {kind, namespace, name} of a workload, change the name of what waits');
  const explanation = await explain(workload);
  if (!explanation) return refused(404, 'The operator does not watch this workload');
  const waiting = changeThatWaits(word, explanation);
  if (waiting.held !== undefined) return refused(409, `This holds whatever anybody says. ${waiting.held}`);
  if (waiting.change === undefined) return refused(409, 'No change waits for that any more');
  if (waiting.change !== change)
    return refused(409, `Another change waits now, ${waiting.change}: look at it first`);
  await annotate(subjectFor(workload), { [FIXED_ANNOTATIONS[word]]: change }, word);
  return done(word);
}

async function subjectOf(
  target: unknown,
  { operatorNamespace }: Pick<ActOptions, 'operatorNamespace'>,
): Promise<Subject | undefined> {
  if (typeof target !== 'object' || target === null) return undefined;
  const { kind, namespace, name, cluster } = target as Readonly<Record<string, unknown>>;
  if (cluster === true) return { type: Namespaces, key: { name: await operatorNamespace() } };
  if (typeof namespace === 'string' && namespace !== '' && kind === undefined && name === undefined)
    return { type: Namespaces, key: { name: namespace } };
  const workload = workloadOf(target);
  return workload && subjectFor(workload);
}

export function subjectFor({ kind, namespace, name }: WorkloadRef): Subject {
  return { type: WORKLOAD_TYPES[kind], key: { namespace, name } };
}

function workloadOf(target: unknown): WorkloadRef | undefined {
  const { kind, namespace, name } = (target ?? {}) as Readonly<Record<string, unknown>>;
  const known = WORKLOAD_KINDS.find((each): each is WorkloadKind => each === kind);
  if (!known || typeof namespace !== 'string' || namespace === '') return undefined;
  return typeof name === 'string' && name !== '' ? { kind: known, namespace, name } : undefined;
}

const done = (action: ActionName): Acted => ({
  status: 200,
  body: { done: action } satisfies ActionAnswer,
});
const refused = (status: number, error: string): Acted => ({ status, body: { error } });
