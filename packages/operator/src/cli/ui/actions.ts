/** What a person does on the page, done with that person's own client: Kubernetes decides, and keeps the record. */
import {
  ApiError,
  type Client,
  ForbiddenError,
  type KubernetesObject,
  NotFoundError,
  type ObjectKey,
  type ResourceType,
} from '@reloader/runtime';
import type { ActionName, Explanation, MeAnswer } from '../../api/shapes.ts';
import { FIXED_ANNOTATIONS } from '../../reloader/model/annotations.ts';
import { Namespaces, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import { WORKLOAD_KINDS, type WorkloadKind, type WorkloadRef } from '../../reloader/model/workload.ts';
import { changeThatWaits, giveWord, type Word } from '../word.ts';
import type { Acted } from './door.ts';

const ACTIONS: readonly ActionName[] = ['freeze', 'unfreeze', 'approve', 'now'];

interface SelfSubjectReview extends KubernetesObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const SelfSubjectReviews: ResourceType<SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};

/** Clusters before 1.28 do not say who one is. */
export async function whoAmI(client: Client | undefined, signal: AbortSignal): Promise<MeAnswer> {
  if (!client) return { may: [] };
  try {
    const review = await client.create(
      SelfSubjectReviews,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' } as SelfSubjectReview,
      { signal },
    );
    const user = review.status?.userInfo?.username;
    return { ...(user !== undefined && { user }), may: ACTIONS };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { may: ACTIONS };
  }
}

interface Subject {
  readonly type: ResourceType<KubernetesObject>;
  readonly key: ObjectKey;
}

export interface ActOptions {
  readonly client: Client | undefined;
  /** Its annotation freezes the whole cluster. */
  readonly operatorNamespace: () => Promise<string>;
  /** Undefined for a workload that the operator does not watch. */
  readonly explain: (workload: WorkloadRef) => Promise<Explanation | undefined>;
  readonly signal: AbortSignal;
}

interface Asked {
  readonly target?: unknown;
  readonly change?: unknown;
}

export async function act(name: string, body: unknown, options: ActOptions): Promise<Acted> {
  const action = ACTIONS.find((each) => each === name);
  const { client, signal } = options;
  if (!action) return refused(404, `There are ${ACTIONS.join(', ')}`);
  if (!client) return refused(403, 'This session has no kubeconfig: give --kubeconfig');
  const { target, change } = (body ?? {}) as Asked;
  try {
    if (action === 'approve' || action === 'now')
      return await letThrough(action, workloadOf(target), change, { ...options, client });
    const subject = await subjectOf(target, options);
    if (!subject)
      return refused(400, 'target is {kind, namespace, name} of a workload, {namespace} or {cluster: true}');
    const annotations = { [FIXED_ANNOTATIONS.freeze]: action === 'freeze' ? 'true' : null };
    const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
    await client.patch(subject.type, subject.key, patch, { signal });
    return { status: 200, body: { done: action } };
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError)
      return refused(error.code, error.message);
    if (error instanceof ApiError) return refused(502, error.message);
    throw error;
  }
}

/** Lets through the change that the person saw, and no other: what came since then is not what they agreed to. */
async function letThrough(
  word: Word,
  workload: WorkloadRef | undefined,
  change: unknown,
  options: ActOptions & { readonly client: Client },
): Promise<Acted> {
  if (!workload || typeof change !== 'string' || change === '')
    return refused(400, 'target is {kind, namespace, name} of a workload, change the name of what waits');
  const explanation = await options.explain(workload);
  if (!explanation) return refused(404, 'The operator does not watch this workload');
  const waiting = changeThatWaits(word, explanation);
  if (waiting.held !== undefined) return refused(409, `This holds whatever anybody says. ${waiting.held}`);
  if (waiting.change === undefined) return refused(409, 'No change waits for that any more');
  if (waiting.change !== change)
    return refused(409, `Another change waits now, ${waiting.change}: look at it first`);
  await giveWord(word, workload, change, options);
  return { status: 200, body: { done: word } };
}

async function subjectOf(target: unknown, options: ActOptions): Promise<Subject | undefined> {
  if (typeof target !== 'object' || target === null) return undefined;
  const { kind, namespace, name, cluster } = target as Readonly<Record<string, unknown>>;
  if (cluster === true) return { type: Namespaces, key: { name: await options.operatorNamespace() } };
  if (typeof namespace === 'string' && namespace !== '' && kind === undefined && name === undefined)
    return { type: Namespaces, key: { name: namespace } };
  const workload = workloadOf(target);
  return workload && { type: WORKLOAD_TYPES[workload.kind], key: workload };
}

function workloadOf(target: unknown): WorkloadRef | undefined {
  const { kind, namespace, name } = (target ?? {}) as Readonly<Record<string, unknown>>;
  const known = WORKLOAD_KINDS.find((each): each is WorkloadKind => each === kind);
  if (!known || typeof namespace !== 'string' || namespace === '') return undefined;
  return typeof name === 'string' && name !== '' ? { kind: known, namespace, name } : undefined;
}

const refused = (status: number, error: string): Acted => ({ status, body: { error } });
