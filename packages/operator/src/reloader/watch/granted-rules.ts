/**
 * The RBAC rules that apply to us, read with one request for a namespace or for the whole cluster.
 *
 * In: the namespace. Out: whether a verb on a kind is granted: yes, no, or unknown if the server cannot list all rules.
 */
import { type Client, kinds, type Logger, type ResourceType } from '@reloader/runtime';

export type Granted = (verb: string, type: ResourceType) => boolean | undefined;

/**
 * A review needs a namespace and includes its RoleBindings. No namespace can have this name, so the review returns
 * only the rules for the whole cluster.
 */
export const NO_NAMESPACE = '-';

export async function grantedRules(
  client: Pick<Client, 'create'>,
  namespace: string | undefined,
  logger: Logger,
  signal?: AbortSignal,
): Promise<Granted> {
  try {
    const { status } = await client.create(
      kinds.SelfSubjectRulesReview,
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        spec: { namespace: namespace ?? NO_NAMESPACE },
      },
      signal ? { signal } : {},
    );
    const isComplete = status !== undefined && !status.incomplete && !status.evaluationError;
    // Filtered once, because every question reads the same few rules.
    const rules = (status?.resourceRules ?? []).filter((rule) => !rule.resourceNames?.length);
    return (verb, type) =>
      rules.some((rule) => matches(rule, verb, type)) || (isComplete ? false : undefined);
  } catch (error) {
    signal?.throwIfAborted();
    logger.debug('A review of rules was not answered', { namespace, error });
    return () => undefined;
  }
}

function matches(
  { verbs, apiGroups = [], resources = [] }: kinds.ResourceRule,
  verb: string,
  { group, plural }: ResourceType,
): boolean {
  const has = (list: readonly string[], word: string): boolean => list.includes('*') || list.includes(word);
  return has(verbs, verb) && has(apiGroups, group) && has(resources, plural);
}
