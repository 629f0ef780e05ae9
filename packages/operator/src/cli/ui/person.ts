/**
 * Actions of the user who started `reloader ui`, made with the user's own client: Kubernetes authorizes them, and
 * records the user.
 */
import { ApiError, type Client, type KubernetesObject, type ResourceType } from '@reloader/runtime';
import { ACTIONS, ActionRefusedError, type Annotations, managerOf, type Subject } from '../../api/actions.ts';
import type { MeAnswer } from '../../api/shapes.ts';

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

/** Clusters before 1.28 cannot tell the user's name. */
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

/** `user` of a page becomes the field manager; a command uses the name of its program. */
export async function annotate(
  client: Client | undefined,
  { type, key }: Subject,
  annotations: Annotations,
  signal: AbortSignal,
  user?: string,
): Promise<void> {
  if (!client) throw new ActionRefusedError(403, 'This session has no kubeconfig: give --kubeconfig');
  const body = { metadata: { annotations } };
  const manager = user === undefined ? {} : { fieldManager: managerOf(user) };
  await client.patch(type, key, { type: 'merge', body }, { ...manager, signal });
}
