/** Pods: a scheduler that binds each to a node, and a kubelet that runs its lifecycle. */
import type { LocalEvent } from '../../model/local-api.ts';
import type { SimulatedController, Simulation } from '../controller.ts';
import { keyOf, refOf } from '../controller.ts';
import { NODES, PODS, sameKind } from '../kind-refs.ts';
import { isFinished } from '../pod-state.ts';
import { timestamp, withCondition, writeStatus } from '../status-writer.ts';
import type { Pod } from '../types.ts';
import type { Behaviours } from './behaviour.ts';
import { Kubelet } from './kubelet.ts';

export function podController({ api, clock }: Simulation, behaviours: Behaviours): SimulatedController {
  /** One counter: it selects nodes round-robin, and pods get their addresses from it. */
  let issued = 0;
  const kubelet = new Kubelet(api, clock, behaviours, () => ++issued);

  function* keysFor({ type, kind, object }: LocalEvent): Iterable<string> {
    if (sameKind(kind, PODS)) {
      if (type === 'DELETED') kubelet.forget(object.metadata.uid);
      else yield keyOf(object);
    } else if (sameKind(kind, NODES)) {
      for (const pod of api.list(PODS) as Pod[]) if (!pod.spec.nodeName) yield keyOf(pod);
    }
  }

  function sync(key: string): number | undefined {
    const pod = api.get(PODS, refOf(key)) as Pod | undefined;
    if (!pod) return undefined;
    if (pod.metadata.deletionTimestamp) return kubelet.stop(pod);
    if (!pod.spec.nodeName) return schedule(pod);
    return isFinished(pod) ? undefined : kubelet.live(pod);
  }

  function schedule(pod: Pod): number | undefined {
    const wanted = Object.entries(pod.spec.nodeSelector ?? {});
    const nodes = api.list(NODES).filter(({ metadata, spec }) => {
      const cordoned = (spec as { unschedulable?: boolean } | undefined)?.unschedulable === true;
      return !cordoned && wanted.every(([label, value]) => metadata.labels?.[label] === value);
    });
    const node = nodes[issued++ % Math.max(1, nodes.length)];
    if (node) {
      api.bindPod(pod.metadata, node.metadata.name);
      return undefined;
    }
    const all = api.list(NODES).length;
    const message = `0/${all} nodes are available: no node matches the pod.`;
    const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    const conditions = withCondition(pod.status?.conditions, unschedulable, timestamp(clock.now()));
    writeStatus(api, PODS, pod, { ...pod.status, conditions }, 'system:kube-scheduler');
    return undefined;
  }

  return { name: 'kubelet', keysFor, sync };
}
