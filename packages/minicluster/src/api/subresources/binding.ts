/** Binds a pod to a node, as a scheduler does. */
import { cloneJson } from '../../model/json-clone.ts';
import type { ObjectRef } from '../../model/local-api.ts';
import type { KubeObject } from '../../model/object.ts';
import { badRequest, conflict, notFound, StatusError } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import { parseBody } from '../body.ts';
import { type ResourceCall, readWriteOptions } from '../call.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { storeDirectly } from '../operations/store-directly.ts';
import { checkPreconditions, type Preconditions, readObject } from '../operations/update.ts';
import { respond, successStatus } from '../respond.ts';

interface Pod extends KubeObject {
  spec: { nodeName?: string; schedulingGates?: unknown[]; [field: string]: unknown };
  status?: { conditions?: Condition[]; nominatedNodeName?: string; [field: string]: unknown };
}

interface Condition {
  type: string;
  status: string;
  [field: string]: unknown;
}

interface Binding {
  metadata?: {
    name?: string;
    uid?: string;
    resourceVersion?: string;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
  };
  target?: { kind?: string; name?: string };
}

const PODS = { group: '', resource: 'pods' };

export function createBinding(call: ResourceCall): ApiResponse {
  const options = readWriteOptions(call);
  const binding = parseBody(call.request, 'Binding').value as Binding;
  const { name, uid, resourceVersion } = binding.metadata ?? {};
  const podName = call.info.name || name || '';
  if (name !== podName) throw badRequest('name in URL does not match name in Binding object');
  const { target } = binding;
  if (target?.kind && target.kind !== 'Node') {
    throw new StatusError(
      500,
      '',
      `target.kind: Unsupported value: "${target.kind}": supported values: "Node", "<empty>"`,
    );
  }
  if (!target?.name) throw new StatusError(500, '', 'target.name: Required value');
  bindPod(call.cluster, { namespace: call.info.namespace, name: podName }, target.name, {
    binding,
    preconditions: { uid: uid || undefined, resourceVersion: resourceVersion || undefined },
    dryRun: options.dryRun,
  });
  return respond(call, 201, { ...(successStatus(undefined) as object), code: 201 });
}

export function bindPod(
  cluster: Cluster,
  ref: ObjectRef,
  nodeName: string,
  options: { binding?: Binding; preconditions?: Preconditions; dryRun?: boolean } = {},
): KubeObject {
  const kind = cluster.kinds.lookup('', 'v1', 'pods');
  const live = kind && (readObject(cluster, kind, ref) as Pod | undefined);
  if (!live) throw notFound(PODS, ref.name);
  checkPreconditions(kind, live, options.preconditions);
  const refused = whyNot(live);
  if (refused) throw conflict({ group: '', resource: 'pods/binding' }, ref.name, refused);
  const pod = cloneJson(live);
  pod.spec.nodeName = nodeName;
  const { annotations, labels } = options.binding?.metadata ?? {};
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  pod.status = withScheduled(pod.status ?? {}, timestamp(cluster.clock));
  return storeDirectly(cluster, kind, pod, { dryRun: options.dryRun ?? false });
}

function whyNot({ metadata, spec }: Pod): string | undefined {
  if (metadata.deletionTimestamp)
    return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  if (spec.nodeName) return `pod ${metadata.name} is already assigned to node "${spec.nodeName}"`;
  if (spec.schedulingGates?.length) return `pod ${metadata.name} has non-empty .spec.schedulingGates`;
  return undefined;
}

function withScheduled(status: NonNullable<Pod['status']>, now: string): NonNullable<Pod['status']> {
  const { nominatedNodeName: _nominated, ...rest } = status;
  const others = (status.conditions ?? []).filter((condition) => condition.type !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  return { ...rest, conditions: [...others, scheduled] };
}
