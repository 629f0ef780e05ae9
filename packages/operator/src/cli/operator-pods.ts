/** The pods of the operator, found by the Service that leads to them. */
import { ApiError, type Client, type KubernetesObject, kinds } from '@reloader/runtime';
import { labelledObjects, OPERATOR_LABELS, operatorHomes } from './operator-home.ts';

const PORT = 9090;
const PORT_NAME = 'http';

export interface OperatorService {
  readonly namespace: string;
  readonly name: string;
  readonly port: string | number;
  readonly selector: Readonly<Record<string, string>>;
}

export interface OperatorPod {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Or the reason why none was found. */
export async function operatorServices(
  client: Client,
  operatorNamespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly OperatorService[] | string> {
  try {
    const labelled = await labelledObjects(client, kinds.Service, operatorNamespace, signal);
    if (labelled.length > 0) return labelled.map(serviceOf);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  const homes = operatorHomes(operatorNamespace);
  for (const home of homes) {
    try {
      return [serviceOf(await client.get(kinds.Service, { ...home }, { signal }))];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  const names = homes.map(({ namespace, name }) => `${namespace}/${name}`).join(' or ');
  return `no Service with a label ${OPERATOR_LABELS} and none named ${names} can be seen: name its namespace with --operator-namespace, or its address with --operator`;
}

/** Running pods, or the reason why there are none. */
export async function podsOf(
  { namespace, name, selector }: OperatorService,
  client: Client,
  signal: AbortSignal,
): Promise<readonly OperatorPod[] | string> {
  const labelSelector = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  if (labelSelector === '') return 'its Service selects no pods';
  try {
    const { items } = await client.list(kinds.Pod, { namespace, labelSelector, signal });
    const running = (items as readonly PodObject[]).filter(isRunning);
    if (running.length > 0) return running.map(podOf);
    return items.length === 1
      ? `the pod behind Service ${namespace}/${name} does not run`
      : `none of the ${items.length} pods behind Service ${namespace}/${name} runs`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `its pods cannot be listed: ${error.message}`;
  }
}

function serviceOf({ metadata, spec }: KubernetesObject & { spec?: unknown }): OperatorService {
  const { ports = [], selector = {} } = (spec ?? {}) as {
    ports?: { name?: string; port?: number }[];
    selector?: Record<string, string>;
  };
  const port =
    ports.find(({ name }) => name === PORT_NAME) ?? ports.find((each) => each.port === PORT) ?? ports[0];
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    port: port?.name ?? port?.port ?? PORT,
    selector,
  };
}

interface PodObject extends KubernetesObject {
  readonly spec?: {
    readonly containers?: readonly {
      readonly ports?: readonly { name?: string; containerPort?: number }[];
    }[];
  };
  readonly status?: { readonly phase?: string };
}

function isRunning({ metadata, status }: PodObject): boolean {
  return status?.phase === 'Running' && metadata?.deletionTimestamp === undefined;
}

function podOf({ metadata, spec }: PodObject): OperatorPod {
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  const port = ports.find(({ name }) => name === PORT_NAME)?.containerPort ?? PORT;
  return { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '', port };
}
