/** Containers of a pod spec: validation in the API server's words and order. */
import { array, isRecord, record, strings } from '../fields.ts';
import type { Field } from '../validate/field.ts';
import {
  dataKey,
  dnsLabel,
  dnsSubdomain,
  environmentName,
  httpHeaderName,
  portName,
  portNumber,
  qualifiedName,
} from '../validate/names.ts';
import { validateResources } from './resources.ts';
import { validateSecurityContext } from './security.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];

export function validateContainers(containers: Field, volumes: ReadonlySet<string>): void {
  if (containers.count === 0) {
    containers.required();
    return;
  }
  const names = new Set<string>();
  for (const container of containers.items()) {
    validateContainer(container, volumes);
    const name = container.child('name');
    if (names.has(name.text)) name.duplicate(name.text);
    names.add(name.text);
    validateHooks(container);
    validateRestartPolicy(container);
  }
  validateHostPorts(containers.items());
}

export function validateInitContainers(
  initContainers: Field,
  containers: Field,
  volumes: ReadonlySet<string>,
): void {
  const names = new Set(containers.items().map((container) => container.child('name').text));
  for (const container of initContainers.items()) {
    validateContainer(container, volumes);
    validateRestartPolicy(container);
    const name = container.child('name');
    if (names.has(name.text)) name.duplicate(name.text);
    else if (!name.empty) names.add(name.text);
    validateHostPorts([container]);
    if (container.child('restartPolicy').text === 'Always') {
      validateHooks(container);
      continue;
    }
    for (const hook of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
      const field = container.child(hook);
      if (!field.absent) field.forbidden('may not be set for init containers without restartPolicy=Always');
    }
  }
}

function validateContainer(container: Field, volumes: ReadonlySet<string>): void {
  const name = container.child('name');
  if (name.empty) name.required();
  else name.invalidAll(dnsLabel(name.text));
  const image = container.child('image');
  if (image.empty) image.required();
  container.child('terminationMessagePolicy').oneOf(['File', 'FallbackToLogsOnError']);
  validatePorts(container.child('ports'));
  validateEnvironment(container.child('env'));
  validateEnvironmentSources(container.child('envFrom'));
  validateMounts(container.child('volumeMounts'), volumes);
  container.child('imagePullPolicy').oneOf(PULL_POLICIES);
  validateResources(container.child('resources'));
  validateSecurityContext(container.child('securityContext'));
}

function validateRestartPolicy(container: Field): void {
  const policy = container.child('restartPolicy');
  if (!policy.absent && !RESTART_POLICIES.includes(policy.text))
    policy.notSupported(RESTART_POLICIES, policy.text);
}

function validatePorts(ports: Field): void {
  const names = new Set<string>();
  for (const port of ports.items()) {
    const name = port.child('name');
    if (!name.empty) {
      const reasons = portName(name.text);
      name.invalidAll(reasons);
      if (reasons.length === 0 && names.has(name.text)) name.duplicate();
      names.add(name.text);
    }
    const containerPort = port.child('containerPort');
    if (containerPort.number === 0) containerPort.required();
    else containerPort.invalidAll(portNumber(containerPort.number));
    const hostPort = port.child('hostPort');
    if (hostPort.number !== 0) hostPort.invalidAll(portNumber(hostPort.number));
    port.child('protocol').oneOf(PROTOCOLS);
  }
}

/** Two container ports must not use the same host port. */
function validateHostPorts(containers: readonly Field[]): void {
  const taken = new Set<string>();
  for (const port of containers.flatMap((container) => container.child('ports').items())) {
    const hostPort = port.child('hostPort');
    if (hostPort.number === 0) continue;
    const key = `${port.child('protocol').text}/${port.child('hostIP').text}/${hostPort.number}`;
    if (taken.has(key)) hostPort.duplicate(key);
    taken.add(key);
  }
}

export function validatePort(port: Field): void {
  if (typeof port.value === 'string') port.invalidAll(portName(port.value));
  else port.invalidAll(portNumber(port.number), port.number);
}

const FIELD_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** The server knows more paths here than a variable may use, and the message lists them. */
const CONVERTIBLE = [
  ...FIELD_PATHS,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'status.phase',
];

function validateEnvironment(variables: Field): void {
  for (const variable of variables.items()) {
    const name = variable.child('name');
    if (name.empty) name.required();
    else name.invalidAll(environmentName(name.text));
    const source = variable.child('valueFrom');
    if (source.absent) continue;
    const given = Object.keys(record(source.value)).filter((key) => isRecord(record(source.value)[key]));
    for (const key of ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef']) {
      if (!given.includes(key)) continue;
      const reference = source.child(key);
      if (key === 'fieldRef') validateFieldRef(reference, FIELD_PATHS);
      else if (key === 'resourceFieldRef') validateResourceRef(reference);
      else validateKeyRef(reference);
    }
    if (given.length === 0) {
      source.invalid(
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
        '',
      );
    } else if (!variable.child('value').empty)
      source.invalid('may not be specified when `value` is not empty', '');
    else if (given.length > 1) source.invalid('may not have more than one field specified at a time', '');
  }
}

export function validateFieldRef(reference: Field, supported: readonly string[]): void {
  const path = reference.child('fieldPath');
  if (path.empty) {
    path.required();
    return;
  }
  const subscripted = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/.exec(path.text);
  if (subscripted) {
    const key = subscripted[2] ?? '';
    const lowered = subscripted[1] === 'metadata.annotations' ? key.toLowerCase() : key;
    reference.invalidAll(qualifiedName(lowered), lowered);
  } else if (!CONVERTIBLE.includes(path.text)) {
    path.invalid(`error converting fieldPath: field label not supported: ${path.text}`);
  } else if (!supported.includes(path.text)) path.notSupported(supported);
}

const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

function validateResourceRef(reference: Field): void {
  const resource = reference.child('resource');
  if (resource.empty) resource.required();
  else if (!RESOURCES.includes(resource.text) && !/^(limits|requests)\.hugepages-/.test(resource.text)) {
    resource.notSupported(RESOURCES);
  }
}

function validateKeyRef(reference: Field): void {
  const name = reference.child('name');
  name.invalidAll(dnsSubdomain(name.text), name.text);
  const key = reference.child('key');
  if (key.empty) key.required();
  else key.invalidAll(dataKey(key.text));
}

function validateEnvironmentSources(sources: Field): void {
  for (const source of sources.items()) {
    const prefix = source.child('prefix');
    if (!prefix.empty) prefix.invalidAll(environmentName(prefix.text));
    const given = ['configMapRef', 'secretRef'].filter((key) => isRecord(record(source.value)[key]));
    for (const key of given) {
      const name = source.child(key, 'name');
      if (name.empty) name.required();
      else name.invalidAll(dnsSubdomain(name.text));
    }
    if (given.length === 0) sources.invalid('must specify one of: `configMapRef` or `secretRef`', '');
    else if (given.length > 1) sources.invalid('may not have more than one field specified at a time', '');
  }
}

function validateMounts(mounts: Field, volumes: ReadonlySet<string>): void {
  const paths = new Set<string>();
  for (const mount of mounts.items()) {
    const name = mount.child('name');
    if (name.empty) name.required();
    if (!volumes.has(name.text)) name.notFound(name.text);
    const path = mount.child('mountPath');
    if (path.empty) path.required();
    if (paths.has(path.text)) path.invalid('must be unique', path.text);
    paths.add(path.text);
    for (const field of ['subPath', 'subPathExpr']) {
      // Upstream reports the list, not the mount.
      const subPath = mounts.as(mount.value).child(field);
      if (subPath.empty) continue;
      if (field === 'subPathExpr' && !mount.child('subPath').empty) {
        mount.child(field).invalid('subPathExpr and subPath are mutually exclusive');
      }
      if (subPath.text.startsWith('/')) subPath.invalid('must be a relative path');
      if (subPath.text.split('/').includes('..')) subPath.invalid("must not contain '..'");
    }
  }
}

function validateHooks(container: Field): void {
  const lifecycle = container.child('lifecycle');
  for (const hook of ['postStart', 'preStop']) {
    if (!lifecycle.child(hook).absent) validateHandler(lifecycle.child(hook));
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container.child(name);
    if (probe.absent) continue;
    validateHandler(probe);
    for (const field of PROBE_NUMBERS) probe.child(field).notNegative();
    const grace = probe.child('terminationGracePeriodSeconds');
    if (!grace.absent && grace.number <= 0) grace.invalid('must be greater than 0');
    if (name === 'readinessProbe') {
      if (!grace.absent) grace.invalid('must not be set for readinessProbes');
    } else if (probe.child('successThreshold').number !== 1)
      probe.child('successThreshold').invalid('must be 1');
  }
}

const PROBE_NUMBERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

function validateHandler(handler: Field): void {
  const given = HANDLERS.filter((key) => !handler.child(key).absent);
  given.forEach((key, index) => {
    const action = handler.child(key);
    if (index > 0) {
      action.forbidden('may not specify more than 1 handler type');
      return;
    }
    if (key === 'exec' && array(record(action.value).command).length === 0)
      action.child('command').required();
    if (key === 'httpGet' && action.child('path').empty) action.child('path').required();
    if (['httpGet', 'tcpSocket', 'grpc'].includes(key)) validatePort(action.child('port'));
    if (key !== 'httpGet') return;
    const scheme = action.child('scheme');
    if (!['HTTP', 'HTTPS'].includes(scheme.text)) scheme.notSupported(['HTTP', 'HTTPS'], scheme.text);
    for (const header of action.child('httpHeaders').items()) {
      const name = strings(header.value).name ?? '';
      action.child('httpHeaders').invalidAll(httpHeaderName(name), name);
    }
  });
  if (given.length === 0) handler.required('must specify a handler type');
}
