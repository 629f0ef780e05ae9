/** `/log` of pods. Nothing runs in a simulated container, so its log describes the simulation. */
import type { KubeObject } from '../../model/object.ts';
import { badRequest, notFound } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import { type ResourceCall, refOf } from '../call.ts';
import { readObject } from '../operations/update.ts';
import { textResponse } from '../respond.ts';

interface Pod extends KubeObject {
  spec: {
    containers: { name: string; image?: string }[];
    initContainers?: { name: string; image?: string }[];
  };
  status?: { containerStatuses?: ContainerStatus[]; initContainerStatuses?: ContainerStatus[] };
}

interface ContainerStatus {
  name: string;
  image?: string;
  state?: Record<string, { startedAt?: string; finishedAt?: string; reason?: string; exitCode?: number }>;
}

export function readLog(call: ResourceCall): ApiResponse {
  const ref = refOf(call);
  const pod = readObject(call.cluster, call.kind, ref) as Pod | undefined;
  if (!pod) throw notFound({ group: '', resource: 'pods' }, ref.name);
  const container = chooseContainer(pod, call.query.get('container') ?? '');
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const state = statuses.find(({ name }) => name === container)?.state;
  if (!state || state.waiting) {
    const reason = state?.waiting?.reason ?? 'ContainerCreating';
    throw badRequest(`container "${container}" in pod "${pod.metadata.name}" is waiting to start: ${reason}`);
  }
  return textResponse(200, lines(container, state).join(''), 'text/plain');
}

function chooseContainer(pod: Pod, wanted: string): string {
  const { containers, initContainers = [] } = pod.spec;
  const all = [...containers, ...initContainers].map(({ name }) => name);
  if (wanted) {
    if (all.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${pod.metadata.name}`);
  }
  if (containers.length === 1) return containers[0]?.name ?? '';
  const choice = containers.map(({ name }) => name).join(' ');
  throw badRequest(
    `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${choice}]`,
  );
}

function lines(container: string, state: NonNullable<ContainerStatus['state']>): string[] {
  const { startedAt } = state.running ?? state.terminated ?? {};
  const started = `${startedAt ?? ''} simulated container ${container} started\n`;
  if (!state.terminated) return [started];
  const { finishedAt, exitCode = 0 } = state.terminated;
  return [started, `${finishedAt ?? ''} simulated container ${container} ended with exit code ${exitCode}\n`];
}
