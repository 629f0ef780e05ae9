/** Prepares a control plane for the first test: its usual namespaces, a node, Argo's resources. */
import type { Api } from './api.ts';
import { rolloutsNamespace } from './components.ts';
import type { ControlPlane } from './control-plane.ts';
import { poll } from './poll.ts';
import { node, nodeName } from './stages.ts';

const patience = 60_000;

/** The server creates the namespace, a controller its default account, without which no pod is admitted. */
export async function waitForDefaultNamespace(
  api: Api,
  controllers: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `/api/v1/namespaces/default${controllers ? '/serviceaccounts/default' : ''}`;
  const found = async () => (await api.send(path)).status === 200;
  await poll(found, { what: `${path} to exist`, timeout: patience, every: 25 }, signal);
}

interface Node {
  readonly spec?: { readonly taints?: readonly unknown[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Registers the node and waits until pods can be scheduled on it. */
export async function waitForNode(
  api: Api,
  controllers: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  await api.apply(`/api/v1/nodes/${nodeName}`, node, signal);
  const ready = async () => {
    const { spec, status } = (await api.call(`/api/v1/nodes/${nodeName}`)) as Node;
    const isReady =
      status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
    // New nodes are tainted until a controller has seen them ready; without that controller they stay tainted.
    return isReady && (!controllers || (spec?.taints ?? []).length === 0);
  };
  await poll(ready, { what: `node ${nodeName} to be ready`, timeout: patience, every: 25 }, signal);
}

/** `crds` is the directory of Argo's CustomResourceDefinitions. */
export async function installRollouts(
  controlPlane: ControlPlane,
  crds: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const tool = signal === undefined ? {} : { signal };
  await controlPlane.kubectl(['apply', '--server-side', '-f', crds], tool);
  await controlPlane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', '-f', crds], tool);
  await controlPlane.api.apply(
    `/api/v1/namespaces/${rolloutsNamespace}`,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: rolloutsNamespace } },
    signal,
  );
}
