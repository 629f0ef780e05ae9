/** Pod statuses as a kubelet writes them. Pure: pod, state and time in, status out. */
import { timestamp, withCondition } from '../status-writer.ts';
import type { Condition, ContainerStatus, Pod } from '../types.ts';

export interface Happening {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly ready: boolean;
  /** The state of every container. */
  readonly container:
    | { readonly state: 'waiting'; readonly reason: string; readonly message?: string }
    | { readonly state: 'running' }
    | { readonly state: 'terminated'; readonly exitCode: number };
  readonly restarts: number;
  readonly hostIP: string;
  readonly podIP?: string;
}

export function podStatus(pod: Pod, happening: Happening, now: number): NonNullable<Pod['status']> {
  const stamp = timestamp(now);
  const done = happening.phase === 'Succeeded' || happening.phase === 'Failed';
  const started = happening.container.state !== 'waiting' || happening.restarts > 0;
  const notReady = done
    ? { reason: happening.phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
    : {
        reason: 'ContainersNotReady',
        message: `containers with unready status: [${pod.spec.containers.map(({ name }) => name).join(' ')}]`,
      };
  const conditions = [
    condition('PodReadyToStartContainers', started && !done),
    condition('Initialized', true),
    { ...condition('Ready', happening.ready), ...(!happening.ready && notReady) },
    { ...condition('ContainersReady', happening.ready), ...(!happening.ready && notReady) },
    condition('PodScheduled', true),
  ].reduce<Condition[]>((list, next) => withCondition(list, next, stamp), pod.status?.conditions ?? []);
  return {
    ...pod.status,
    phase: happening.phase,
    conditions,
    hostIP: happening.hostIP,
    hostIPs: [{ ip: happening.hostIP }],
    ...(happening.podIP && { podIP: happening.podIP, podIPs: [{ ip: happening.podIP }] }),
    startTime: pod.status?.startTime ?? stamp,
    containerStatuses: pod.spec.containers.map((container) => {
      const before = pod.status?.containerStatuses?.find(({ name }) => name === container.name);
      return containerStatus(container.name, container.image ?? '', before, happening, stamp);
    }),
  };
}

const condition = (type: string, holds: boolean): Condition => ({ type, status: holds ? 'True' : 'False' });

function containerStatus(
  name: string,
  image: string,
  before: ContainerStatus | undefined,
  happening: Happening,
  stamp: string,
): ContainerStatus {
  const state = containerState(before, happening, stamp);
  const lastState = happening.restarts > 0 && before?.state.terminated ? before.state : before?.lastState;
  return {
    name,
    image,
    imageID:
      happening.container.state === 'waiting' && happening.restarts === 0 ? '' : `minicluster://${image}`,
    ready: happening.ready,
    started: happening.container.state === 'running',
    restartCount: happening.restarts,
    state,
    lastState: lastState ?? {},
  };
}

function containerState(
  before: ContainerStatus | undefined,
  { container }: Happening,
  stamp: string,
): Record<string, unknown> {
  const running = before?.state.running as { startedAt: string } | undefined;
  switch (container.state) {
    case 'waiting':
      return {
        waiting: { reason: container.reason, ...(container.message && { message: container.message }) },
      };
    case 'running':
      return { running: { startedAt: running?.startedAt ?? stamp } };
    case 'terminated':
      return {
        terminated: {
          exitCode: container.exitCode,
          reason: container.exitCode === 0 ? 'Completed' : 'Error',
          startedAt: running?.startedAt ?? stamp,
          finishedAt: stamp,
        },
      };
  }
}
