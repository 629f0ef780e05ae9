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
import type { ActionName, MeAnswer } from '../../api/shapes.ts';
import { FIXED_ANNOTATIONS } from '../../reloader/model/annotations.ts';
import { Namespaces, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import { WORKLOAD_KINDS, type WorkloadKind } from '../../reloader/model/workload.ts';
import type { Acted } from './door.ts';

const ACTIONS: readonly ActionName[] = ['freeze', 'unfreeze'];

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
  readonly signal: AbortSignal;
}

export async function act(name: string, body: unknown, options: ActOptions): Promise<Acted> {
  const action = ACTIONS.find((each) => each === name);
  if (!action) return refused(404, `There are ${ACTIONS.join(' and ')}`);
  if (!options.client) return refused(403, 'This session has no kubeconfig: give --kubeconfig');
  const subject = await subjectOf((body as { target?: unknown } | null)?.target, options);
  if (!subject)
    return refused(400, 'target is {kind, namespace, name} of a workload, {namespace} or {cluster: true}');
  const annotations = { [FIXED_ANNOTATIONS.freeze]: action === 'freeze' ? 'true' : null };
  const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
  try {
    await options.client.patch(subject.type, subject.key, patch, { signal: options.signal });
    return { status: 200, body: { done: action } };
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError)
      return refused(error.code, error.message);
    if (error instanceof ApiError) return refused(502, error.message);
    throw error;
  }
}

async function subjectOf(target: unknown, options: ActOptions): Promise<Subject | undefined> {
  if (typeof target !== 'object' || target === null) return undefined;
  const { kind, namespace, name, cluster } = target as Readonly<Record<string, unknown>>;
  if (cluster === true) return { type: Namespaces, key: { name: await options.operatorNamespace() } };
  if (typeof namespace !== 'string' || namespace === '') return undefined;
  if (kind === undefined && name === undefined) return { type: Namespaces, key: { name: namespace } };
  const known = WORKLOAD_KINDS.find((each): each is WorkloadKind => each === kind);
  if (!known || typeof name !== 'string' || name === '') return undefined;
  return { type: WORKLOAD_TYPES[known], key: { namespace, name } };
}

const refused = (status: number, error: string): Acted => ({ status, body: { error } });
