/**
 * The rules that the server grants us, read by one request for a namespace, or for the whole cluster.
 *
 * In: where. Out: whether a verb on a kind is granted there: yes, no, or unknown where the server cannot list all rules.
 */
import { type Client, kinds, type Logger, type ResourceType } from '@reloader/runtime';

export type Granted = (verb: string, type: ResourceType) => boolean | undefined;

/**
 * A review needs a namespace and counts the RoleBindings in it. Nobody can create one of this name, so that only what
 * is granted for the whole cluster is left.
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
    // The same few rules are read for every question.
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
