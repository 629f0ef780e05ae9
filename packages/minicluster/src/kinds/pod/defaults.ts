/**
 * Defaults of a pod spec, wherever one occurs: pods, templates of workloads, Jobs inside CronJobs. Defaults of pods
 * alone are in `applyPodDefaults`.
 */
import {
  array,
  dig,
  ensure,
  type Fields,
  fill,
  fillEmpty,
  isAbsent,
  isRecord,
  record,
  records,
  text,
} from '../fields.ts';

/** The spec of a pod or of a template. */
export function applyPodSpecDefaults(spec: Fields): void {
  fillEmpty(spec, { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', schedulerName: 'default-scheduler' });
  fill(spec, { terminationGracePeriodSeconds: 30, securityContext: {} });
  for (const volume of records(spec.volumes)) applyVolumeDefaults(volume);
  for (const container of allContainers(spec)) applyContainerDefaults(container);
  if (spec.hostNetwork === true) {
    for (const container of [...records(spec.initContainers), ...records(spec.containers)]) {
      for (const port of records(container.ports)) fillEmpty(port, { hostPort: port.containerPort });
    }
  }
  mirrorServiceAccount(spec);
}

/** `serviceAccount` is the old name of `serviceAccountName`; both are always shown. */
function mirrorServiceAccount(spec: Fields): void {
  const name = text(spec.serviceAccountName) || text(spec.serviceAccount);
  if (name) Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
}

const allContainers = (spec: Fields): Fields[] => [
  ...records(spec.initContainers),
  ...records(spec.containers),
  ...records(spec.ephemeralContainers),
];

/** Defaults of pods but not of templates. */
export function applyPodDefaults(spec: Fields): void {
  for (const container of [...records(spec.initContainers), ...records(spec.containers)]) {
    const limits = dig(container, 'resources', 'limits');
    if (isRecord(limits)) fill(ensure(ensure(container, 'resources'), 'requests'), limits);
  }
  fill(spec, { enableServiceLinks: true });
}

function applyContainerDefaults(container: Fields): void {
  fillEmpty(container, {
    imagePullPolicy: isLatest(text(container.image)) ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  fill(container, { resources: {} });
  for (const port of records(container.ports)) fillEmpty(port, { protocol: 'TCP' });
  for (const variable of records(container.env)) {
    const fieldRef = dig(variable, 'valueFrom', 'fieldRef');
    if (isRecord(fieldRef)) fillEmpty(fieldRef, { apiVersion: 'v1' });
    const resourceFieldRef = dig(variable, 'valueFrom', 'resourceFieldRef');
    if (isRecord(resourceFieldRef)) fillEmpty(resourceFieldRef, { divisor: '0' });
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (isRecord(container[name])) applyProbeDefaults(container[name]);
  }
  for (const hook of ['postStart', 'preStop'])
    applyHttpGetDefaults(dig(container, 'lifecycle', hook, 'httpGet'));
}

function applyProbeDefaults(probe: Fields): void {
  fillEmpty(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  applyHttpGetDefaults(probe.httpGet);
  if (isRecord(probe.grpc)) fill(probe.grpc, { service: '' });
}

function applyHttpGetDefaults(action: unknown): void {
  if (isRecord(action)) fillEmpty(action, { path: '/', scheme: 'HTTP' });
}

/** No tag and no digest means `latest`. */
function isLatest(image: string): boolean {
  if (image.includes('@')) return false;
  const last = image.slice(image.lastIndexOf('/') + 1);
  const colon = last.indexOf(':');
  return colon < 0 || last.slice(colon + 1) === 'latest';
}

/** Volume sources with file modes, and the default mode of each. */
const MODES: Readonly<Record<string, Fields>> = {
  secret: { defaultMode: 0o644 },
  configMap: { defaultMode: 0o644 },
  downwardAPI: { defaultMode: 0o644 },
  projected: { defaultMode: 0o644 },
  hostPath: { type: '' },
};

function applyVolumeDefaults(volume: Fields): void {
  if (Object.keys(volume).every((key) => key === 'name' || isAbsent(volume[key]))) volume.emptyDir = {};
  for (const [source, defaults] of Object.entries(MODES)) {
    if (isRecord(volume[source])) fill(volume[source], defaults);
  }
  if (isRecord(volume.iscsi)) fillEmpty(volume.iscsi, { iscsiInterface: 'default' });
  if (isRecord(volume.image)) {
    fillEmpty(volume.image, {
      pullPolicy: isLatest(text(volume.image.reference)) ? 'Always' : 'IfNotPresent',
    });
  }
  const claim = dig(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
  if (isRecord(claim)) fill(claim, { volumeMode: 'Filesystem' });
  const files = [
    ...array(dig(volume, 'downwardAPI', 'items')),
    ...records(dig(volume, 'projected', 'sources')).flatMap((source) =>
      array(dig(source, 'downwardAPI', 'items')),
    ),
  ];
  for (const file of files.map(record)) {
    if (isRecord(file.fieldRef)) fillEmpty(file.fieldRef, { apiVersion: 'v1' });
    if (isRecord(file.resourceFieldRef)) fillEmpty(file.resourceFieldRef, { divisor: '0' });
  }
  for (const source of records(dig(volume, 'projected', 'sources'))) {
    if (isRecord(source.serviceAccountToken)) fill(source.serviceAccountToken, { expirationSeconds: 3600 });
  }
}
