/**
 * The server's own admission of pods: a service account with its token, tolerations for unready nodes, a priority, a
 * QoS class.
 */

import type { KubeObject } from '../../model/object.ts';
import { forbidden } from '../../model/status.ts';
import { array, dig, type Fields, fill, record, records, text } from '../fields.ts';
import type { WriteContext } from '../kind.ts';
import { quantity } from '../validate/quantity.ts';

const PODS = { group: '', resource: 'pods' };
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

export function admitPod(pod: KubeObject, context: WriteContext): void {
  const spec = record(pod.spec);
  admitServiceAccount(pod, spec, context);
  admitTolerations(spec);
  admitPriority(pod, spec, context);
}

/**
 * A missing `default` account is assumed to exist: its controller may not have run yet, and refusing pods for that
 * moment would only make every test wait.
 */
function admitServiceAccount(pod: KubeObject, spec: Fields, context: WriteContext): void {
  // Mirror pods of a kubelet skip all of this.
  if (pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return;
  const name = text(spec.serviceAccountName) || 'default';
  Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
  const namespace = pod.metadata.namespace ?? '';
  const account = find(context.list({ group: '', plural: 'serviceaccounts' }, namespace), name);
  if (!account && name !== 'default') {
    throw forbidden(
      PODS,
      pod.metadata.name,
      `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
    );
  }
  if (array(spec.imagePullSecrets).length === 0 && array(account?.imagePullSecrets).length > 0) {
    spec.imagePullSecrets = structuredClone(account?.imagePullSecrets);
  }
  const mounts = spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true;
  if (mounts === true) mountToken(spec, context);
}

function find(objects: Iterable<KubeObject>, name: string): KubeObject | undefined {
  for (const object of objects) if (object.metadata.name === name) return object;
  return undefined;
}

function mountToken(spec: Fields, context: WriteContext): void {
  const containers = [...records(spec.initContainers), ...records(spec.containers)];
  const lacking = containers.filter(
    (container) => !records(container.volumeMounts).some((mount) => mount.mountPath === TOKEN_PATH),
  );
  if (lacking.length === 0) return;
  let suffix = '';
  for (let index = 0; index < 5; index++) {
    suffix += SUFFIX_ALPHABET[Math.floor(context.random() * SUFFIX_ALPHABET.length)];
  }
  const volume = `kube-api-access-${suffix}`;
  for (const container of lacking) {
    container.volumeMounts = [
      ...array(container.volumeMounts),
      { name: volume, readOnly: true, mountPath: TOKEN_PATH },
    ];
  }
  spec.volumes = [...array(spec.volumes), { name: volume, projected: tokenSources() }];
}

const tokenSources = (): Fields => ({
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
  defaultMode: 420,
});

/** Five minutes on a node that is not ready or unreachable, unless the pod says otherwise. */
function admitTolerations(spec: Fields): void {
  const tolerations = records(spec.tolerations);
  const tolerates = (key: string): boolean =>
    tolerations.some(
      (toleration) =>
        (toleration.key === key || text(toleration.key) === '') &&
        (toleration.effect === 'NoExecute' || text(toleration.effect) === ''),
    );
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    if (tolerates(key)) continue;
    tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  spec.tolerations = tolerations;
}

const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

function admitPriority(pod: KubeObject, spec: Fields, context: WriteContext): void {
  const wanted = text(spec.priorityClassName);
  const classes = context.list({ group: 'scheduling.k8s.io', plural: 'priorityclasses' });
  let chosen: KubeObject | undefined;
  for (const candidate of classes) {
    if (wanted ? candidate.metadata.name === wanted : candidate.globalDefault === true) chosen = candidate;
  }
  if (wanted && !chosen && !SYSTEM_CLASSES.has(wanted)) {
    throw forbidden(PODS, pod.metadata.name, `no PriorityClass with name ${wanted} was found`);
  }
  if (chosen) spec.priorityClassName = chosen.metadata.name;
  spec.priority = chosen?.value ?? SYSTEM_CLASSES.get(wanted) ?? 0;
  fill(spec, { preemptionPolicy: chosen?.preemptionPolicy ?? 'PreemptLowerPriority' });
}

/** Guaranteed when every container's requests equal its limits, BestEffort when there are none. */
export function qosClass(spec: Fields): string {
  const containers = [...records(spec.initContainers), ...records(spec.containers)];
  let any = false;
  let guaranteed = true;
  for (const container of containers) {
    const requests = record(dig(container, 'resources', 'requests'));
    const limits = record(dig(container, 'resources', 'limits'));
    for (const resource of ['cpu', 'memory']) {
      const request = quantity(requests[resource]) ?? 0n;
      const limit = quantity(limits[resource]) ?? 0n;
      if (request > 0n || limit > 0n) any = true;
      if (limit === 0n || request !== limit) guaranteed = false;
    }
  }
  if (!any) return 'BestEffort';
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
