/**
 * The operator as a process on a real control plane, under the name that the audit policy of the documentation uses.
 */
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';
import { ROOT } from '../docs/blocks.ts';
import { bundleOperator } from '../kills/bundle.ts';
import { RealOperator } from '../reloader/real-operator.ts';

export const ACCOUNT = { namespace: 'reloader', name: 'reloader' } as const;
const EVERYTHING = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
const READY_MS = 60_000;

/** Installs both definitions and starts it; resolves with a function that stops it. */
export async function operateOn(cluster: ControlPlane): Promise<() => Promise<void>> {
  for (const file of ['reloaderconfig_crd.yaml', 'podconfigmapconfig_crd.yaml'])
    await cluster.kubectl(['apply', '--server-side', '-f', `${ROOT}/crd/${file}`]);
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  const { namespace, name } = ACCOUNT;
  const account = await cluster.serviceAccount(namespace, name, { clusterRules: EVERYTHING });
  const [port = 0] = await freePorts(1);
  const bundle = await bundleOperator();
  const operator = new RealOperator({
    program: bundle.file,
    namespace,
    user: account.user,
    port,
    args: ['--kubeconfig', account.kubeconfig, '--settle=100ms'],
    env: { POD_NAMESPACE: namespace, POD_NAME: name },
  });
  await poll(() => operator.ready(), { what: 'the operator to be ready', timeout: READY_MS });
  return async () => {
    await operator.stop();
    await bundle.remove();
  };
}
