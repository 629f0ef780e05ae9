/** Checks that the operator, its Service and its webhook can be reached. */
import { ApiError, type Client, kinds, type ResourceType } from '@reloader/runtime';
import { counted } from '../../terminal/style.ts';
import type { FoundOperator } from '../operator-api.ts';
import { type CheckFinding, failure, ok, warning } from './finding.ts';
import type { Installation } from './installations.ts';

export function checkOperator(operator: FoundOperator): CheckFinding {
  const check = 'operator answers';
  if (!('api' in operator)) {
    const fix = 'see its logs; explain and what-if work without it, with your own rights';
    return failure(check, operator.unreachable, fix);
  }
  const { where, status } = operator.api;
  const { length: failing } = status.failing;
  if (failing > 0) {
    const what = `${counted(failing, 'workload')} ${failing === 1 ? 'fails' : 'fail'}`;
    return warning(check, `${where}: ${what}`, 'run "reloader status"');
  }
  return ok(check, `${where}, version ${status.version}, mode ${status.mode}`);
}

const ENDPOINT_SLICES: ResourceType = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

/** Whether a Service has a pod that is ready; undefined if the caller may not see that. */
async function hasEndpoints(
  client: Client,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  try {
    const labelSelector = `kubernetes.io/service-name=${name}`;
    const { items } = await client.list(ENDPOINT_SLICES, { namespace, labelSelector, signal });
    const slices = items as { endpoints?: { conditions?: { ready?: boolean } }[] }[];
    // Kubernetes creates one for every Service with a selector, even if no pod matches it.
    if (slices.length === 0) return undefined;
    return slices.some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready !== false));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly caBundle?: string;
    readonly service?: { readonly namespace: string; readonly name: string };
  };
  readonly rules?: readonly { readonly apiGroups?: readonly string[] }[];
}

export async function checkWebhook(
  client: Client,
  installations: readonly Installation[],
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const wanted = installations.find(({ settings }) => settings.admission !== undefined);
  let items: readonly { metadata: { name: string }; webhooks?: readonly Webhook[] }[];
  try {
    ({ items } = await client.list(kinds.ValidatingWebhookConfiguration, { signal }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return wanted ? [warning('webhook', 'you may not list webhooks', 'ask for that right')] : [];
  }
  const ours = items.flatMap(({ metadata, webhooks = [] }) =>
    webhooks
      .filter(({ rules }) => rules?.some(({ apiGroups }) => apiGroups?.includes('reloader.stakater.com')))
      .map((webhook) => ({ configuration: metadata.name, webhook })),
  );
  if (ours.length === 0) {
    const fix = 'upgrade the release with reloader.admission.enabled=true, or apply manifests/admission.yaml';
    return wanted ? [failure('webhook', `${wanted.name} serves one, and none is registered`, fix)] : [];
  }
  return Promise.all(
    ours.map(async ({ configuration, webhook }) => {
      const { caBundle, service } = webhook.clientConfig;
      if (!caBundle)
        return failure('webhook', `${configuration} has no CA yet`, 'the operator writes it when it starts');
      if (!service) return ok('webhook', `${configuration}, by URL`);
      const reached = await hasEndpoints(client, service.namespace, service.name, signal);
      const where = `${configuration}, Service ${service.namespace}/${service.name}`;
      return reached === false
        ? failure('webhook', `${where} has no endpoints`, 'custom resources are not checked when applied')
        : ok('webhook', where);
    }),
  );
}

export async function checkService(
  client: Client,
  { deployment }: Installation,
  signal: AbortSignal,
): Promise<CheckFinding> {
  const { namespace = '', labels = {} } = deployment.metadata;
  const check = 'service';
  try {
    const { items } = await client.list(kinds.Service, { namespace, signal });
    const named = items.filter(
      ({ metadata, spec }) => metadata.name === deployment.metadata.name || selects(spec, labels),
    );
    const [service] = named;
    if (!service) return warning(check, `namespace ${namespace} has none for it`, 'the chart makes one');
    const { name } = service.metadata;
    const reached = await hasEndpoints(client, namespace, name, signal);
    return reached === false
      ? failure(check, `Service ${namespace}/${name} has no endpoints`, 'no pod of the operator is ready')
      : ok(check, `Service ${namespace}/${name}`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return warning(check, `you may not list Services in ${namespace}`, 'ask for that right');
  }
}

function selects(spec: unknown, labels: Readonly<Record<string, string>>): boolean {
  const selector = Object.entries(
    (spec as { selector?: Record<string, string> } | undefined)?.selector ?? {},
  );
  return selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
}
