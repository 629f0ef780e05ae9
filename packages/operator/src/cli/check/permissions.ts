/** Checks the rights of the operator's service account. */
import { ApiError, type Client, kinds, type ResourceType } from '@reloader/runtime';
import { ConfigMaps, Secrets, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import { type CheckFinding, failure, ok, warning } from './finding.ts';
import type { Installation } from './installations.ts';

const NEEDED: readonly { readonly verb: string; readonly type: ResourceType }[] = [
  ...[Secrets, ConfigMaps].flatMap((type) => ['list', 'watch'].map((verb) => ({ verb, type }))),
  ...(['Deployment', 'StatefulSet', 'DaemonSet'] as const).flatMap((kind) =>
    ['list', 'patch'].map((verb) => ({ verb, type: WORKLOAD_TYPES[kind] })),
  ),
];

/** Asks the API server for the rights of the service account. */
export async function checkPermissions(
  client: Client,
  { deployment, settings }: Installation,
  signal: AbortSignal,
): Promise<CheckFinding> {
  const check = 'permissions';
  const { namespace = '' } = deployment.metadata;
  const { spec } = deployment as { spec?: { template?: { spec?: { serviceAccountName?: string } } } };
  const account = spec?.template?.spec?.serviceAccountName ?? 'default';
  const { reloader } = settings;
  const [place] = reloader.namespaces;
  const missing: string[] = [];
  for (const { verb, type } of NEEDED) {
    if (verb === 'patch' && (reloader.mode === 'observe' || reloader.webhookUrl)) continue;
    if (reloader.ignoredSources.has(type.kind as 'Secret')) continue;
    const resourceAttributes = {
      verb,
      group: type.group,
      resource: type.plural,
      ...(place !== undefined && { namespace: place }),
    };
    try {
      const { status } = await client.create(
        kinds.SubjectAccessReview,
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user: `system:serviceaccount:${namespace}:${account}`, resourceAttributes },
        },
        { signal },
      );
      if (!status?.allowed) missing.push(`${verb} ${type.plural}`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const fix = 'administrators can; the operator itself logs what it may not do';
      return warning(check, 'you may not ask what its account is granted', fix);
    }
  }
  const who = `ServiceAccount ${namespace}/${account}`;
  return missing.length === 0
    ? ok(check, who)
    : failure(
        check,
        `${who} may not ${missing.join(', ')}`,
        'grant it: the chart does with reloader.rbac.enabled',
      );
}
