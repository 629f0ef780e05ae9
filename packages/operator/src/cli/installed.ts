/** The operator's flags, read from its Deployment: a command uses them if it has to decide without the operator. */
import { ApiError, type Client, kinds } from '@reloader/runtime';
import { parseSettings } from '../settings/parse.ts';
import type { Settings } from '../settings/settings.ts';
import { UsageError } from '../settings/usage-error.ts';
import { labelledObjects, operatorHomes } from './operator-home.ts';

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

export interface PlainDeployment {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
}

export interface Installed {
  readonly settings: Settings;
  /** The Deployment whose flags these are, or that they are the defaults. */
  readonly from: string;
  /** Whether the Deployment could be read. */
  readonly isSeen: boolean;
}

const NAME = 'reloader';

export async function installedSettings(
  client: Client,
  operatorNamespace: string | undefined,
  signal: AbortSignal,
): Promise<Installed> {
  const [deployment] = await operatorDeployments(client, operatorNamespace, signal);
  const assumed = operatorNamespace ?? NAME;
  const none = {
    from: 'the default flags, because the Deployment of the operator cannot be seen',
    isSeen: false,
  };
  if (!deployment) return { ...none, settings: parseSettings([], { POD_NAMESPACE: assumed }) };
  return settingsOf(deployment, assumed);
}

/** The operator's container. */
export function containerOf({ spec }: PlainDeployment): Container | undefined {
  const template = (spec as { template?: { spec?: { containers?: Container[] } } } | undefined)?.template;
  const containers = template?.spec?.containers ?? [];
  return containers.find(({ name }) => name?.includes(NAME)) ?? containers[0];
}

export function settingsOf(deployment: PlainDeployment, assumedNamespace = NAME): Installed {
  const { metadata } = deployment;
  const namespace = metadata.namespace ?? assumedNamespace;
  const container = containerOf(deployment);
  const environment = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
  const where = `Deployment ${namespace}/${metadata.name}`;
  const about = { POD_NAME: metadata.name, RELOADER_DEPLOYMENT_NAME: metadata.name };
  try {
    const flags = (container?.args ?? []).filter((word) => word !== 'run');
    const settings = parseSettings(flags, { ...environment, ...about, POD_NAMESPACE: namespace });
    return { settings, from: `the flags of ${where}`, isSeen: true };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const settings = parseSettings([], { ...about, POD_NAMESPACE: namespace });
    const from = `the default flags, because those of ${where} are not of this version`;
    return { settings, from, isSeen: true };
  }
}

/** All that can be seen; none if there are none, or if they may not be read. */
export async function operatorDeployments(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly PlainDeployment[]> {
  try {
    const labelled = await labelledObjects(client, kinds.Deployment, namespace, signal);
    if (labelled.length > 0) return labelled;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  for (const home of operatorHomes(namespace)) {
    try {
      return [await client.get(kinds.Deployment, { ...home }, { signal })];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return [];
}
