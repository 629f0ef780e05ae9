/**
 * The simulated half of a cluster: the parts of kube-controller-manager, the scheduler and the kubelets that
 * workloads need. Each controller is one file (or folder) here; a new one is one more line in `startControllers`.
 */
import type { Clock } from '@reloader/runtime';
import type { LocalApi, LocalEvent } from '../model/local-api.ts';
import { runControllers, type Simulation } from './controller.ts';
import { cronJobController } from './cron-job.ts';
import { daemonSetController } from './daemon-set.ts';
import { deploymentController } from './deployment/controller.ts';
import { disruptionBudgetController } from './disruption-budget.ts';
import { garbageCollector } from './garbage-collector.ts';
import { jobController } from './job.ts';
import { NODES } from './kind-refs.ts';
import { namespaceController } from './namespaces.ts';
import { OwnedIndex } from './owned.ts';
import { type BehaviourScript, Behaviours } from './pods/behaviour.ts';
import { podController } from './pods/controller.ts';
import { replicaSetController } from './replica-set.ts';
import { statefulSetController } from './stateful-set.ts';

export { BEHAVIOUR_ANNOTATION, type ConfigCondition, type PodBehaviour } from '../model/behaviour.ts';
export type { BehaviourScript } from './pods/behaviour.ts';

/** The simulated controllers of a cluster: scripted pod failures, and how to stop. */
export interface SimulatedWorkloads {
  /**
   * Scripts the behaviour of pods; returns a function that undoes it. Running containers change at their next start.
   */
  script(script: BehaviourScript): () => void;
  stop(): void;
}

export interface ControllersOptions {
  readonly api: LocalApi;
  readonly clock: Clock;
  /** How many Node objects exist. Default 1. */
  readonly nodes?: number;
  /** The CA in `kube-root-ca.crt`. */
  readonly rootCa?: () => string;
  /** A controller's step failed unexpectedly. It is retried. */
  readonly onError?: (controller: string, key: string, error: unknown) => void;
}

export function startControllers(options: ControllersOptions): SimulatedWorkloads {
  const { api, clock, nodes = 1, rootCa = () => '', onError = () => undefined } = options;
  const simulation: Simulation = { api, clock, owned: new OwnedIndex() };
  const behaviours = new Behaviours(api);
  for (let number = 1; number <= nodes; number++) createNode(api, `minicluster-${number}`);
  const stop = runControllers(
    simulation,
    [
      namespaceController(simulation, rootCa),
      garbageCollector(simulation),
      deploymentController(simulation),
      replicaSetController(simulation),
      statefulSetController(simulation),
      daemonSetController(simulation),
      jobController(simulation),
      cronJobController(simulation),
      disruptionBudgetController(simulation),
      podController(simulation, behaviours),
    ],
    { existing: existingObjects(api), onError },
  );
  return { script: (script) => behaviours.add(script), stop };
}

function* existingObjects(api: LocalApi): Iterable<LocalEvent> {
  for (const kind of api.kinds()) {
    for (const object of api.list(kind)) yield { type: 'ADDED', kind, object };
  }
}

function createNode(api: LocalApi, name: string): void {
  if (api.get(NODES, { name })) return;
  const node = api.create(NODES, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
  });
  const resources = { cpu: '64', memory: '256Gi', pods: '10000' };
  const status = {
    capacity: resources,
    allocatable: resources,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'simulated',
        lastTransitionTime: node.metadata.creationTimestamp,
      },
    ],
    addresses: [{ type: 'Hostname', address: name }],
    nodeInfo: { kubeletVersion: 'minicluster', operatingSystem: 'linux', architecture: 'amd64' },
  };
  api.updateStatus(NODES, { ...node, status });
}
