/**
 * Cluster IPs from 10.0.0.0/24 and node ports from 30000-32767. Used ones are read from the stored Services each
 * time, so nothing has to be released.
 */

import type { KubeObject } from '../../../model/object.ts';
import { type FieldError, invalid } from '../../../model/status.ts';
import { array, dig, type Fields, isAbsent, record, records, same, text } from '../../fields.ts';
import type { WriteContext } from '../../kind.ts';
import { goJson } from '../../validate/go-format.ts';

const PREFIX = '10.0.0.';
/** The lower addresses are reserved for explicit requests. */
const FIRST_DYNAMIC = 16;
const LAST = 254;
const NODE_PORTS = { first: 30000, last: 32767 };

const isIPv4 = (address: string): boolean =>
  /^(\d{1,3}\.){3}\d{1,3}$/.test(address) && address.split('.').every((part) => Number(part) <= 255);

/** Allocates the addresses, families and node ports that the type needs. Throws a 422 if one is not available. */
export function allocate(service: KubeObject, context: WriteContext): void {
  const spec = record(service.spec);
  if (spec.type === 'ExternalName') return;
  const wanted = text(spec.clusterIP) || text(array(spec.clusterIPs)[0]);
  if (wanted) {
    spec.clusterIP = wanted;
    if (array(spec.clusterIPs).length === 0) spec.clusterIPs = [wanted];
  }
  setFamilies(spec, wanted);
  const others = [...context.list({ group: '', plural: 'services' })].filter(
    (other) => other.metadata.uid !== service.metadata.uid,
  );
  if (wanted === '') setAddress(spec, freeAddress(others, context));
  else if (isIPv4(wanted)) claimAddress(service, spec, wanted, others);
  if (['NodePort', 'LoadBalancer'].includes(text(spec.type)))
    allocateNodePorts(service, spec, others, context);
}

function setAddress(spec: Fields, address: string): void {
  spec.clusterIP = address;
  spec.clusterIPs = [address];
}

function setFamilies(spec: Fields, wanted: string): void {
  const selectorless = wanted === 'None' && Object.keys(record(spec.selector)).length === 0;
  if (isAbsent(spec.ipFamilyPolicy)) spec.ipFamilyPolicy = selectorless ? 'RequireDualStack' : 'SingleStack';
  if (array(spec.ipFamilies).length === 0) spec.ipFamilies = selectorless ? ['IPv4', 'IPv6'] : ['IPv4'];
}

const takenAddresses = (services: readonly KubeObject[]): Set<string> =>
  new Set(services.flatMap((service) => array(dig(service, 'spec', 'clusterIPs')).map(String)));

function freeAddress(others: readonly KubeObject[], context: WriteContext): string {
  const taken = takenAddresses(others);
  const size = LAST - FIRST_DYNAMIC + 1;
  const start = Math.floor(context.random() * size);
  for (let step = 0; step < size; step++) {
    const address = `${PREFIX}${FIRST_DYNAMIC + ((start + step) % size)}`;
    if (!taken.has(address)) return address;
  }
  for (let host = 2; host < FIRST_DYNAMIC; host++)
    if (!taken.has(`${PREFIX}${host}`)) return `${PREFIX}${host}`;
  throw invalid({ group: '', kind: 'Service' }, '', [
    {
      reason: 'FieldValueInvalid',
      field: 'spec.clusterIPs',
      message: 'Invalid value: []: failed to allocate a serviceIP: range is full',
    },
  ]);
}

function claimAddress(
  service: KubeObject,
  spec: Fields,
  address: string,
  others: readonly KubeObject[],
): void {
  const host = Number(address.slice(PREFIX.length));
  const inRange = address.startsWith(PREFIX) && host >= 1 && host <= LAST;
  if (inRange && !takenAddresses(others).has(address)) return;
  const why = inRange
    ? 'provided IP is already allocated'
    : 'the provided network does not match the current range';
  refuse(service, {
    reason: 'FieldValueInvalid',
    field: 'spec.clusterIPs',
    message: `Invalid value: ${goJson(spec.clusterIPs)}: failed to allocate IP ${address}: ${why}`,
  });
}

function refuse(service: KubeObject, error: FieldError): never {
  throw invalid({ group: '', kind: 'Service' }, service.metadata.name, [error]);
}

const nodePortsOf = (services: readonly KubeObject[]): Set<number> =>
  new Set(
    services.flatMap((service) =>
      records(dig(service, 'spec', 'ports')).map((port) => Number(port.nodePort)),
    ),
  );

function allocateNodePorts(
  service: KubeObject,
  spec: Fields,
  others: readonly KubeObject[],
  context: WriteContext,
): void {
  if (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === false) return;
  const taken = nodePortsOf(others);
  const size = NODE_PORTS.last - NODE_PORTS.first + 1;
  records(spec.ports).forEach((port, index) => {
    if (typeof port.nodePort === 'number' && port.nodePort !== 0) {
      const outside = port.nodePort < NODE_PORTS.first || port.nodePort > NODE_PORTS.last;
      if (outside || taken.has(port.nodePort)) {
        refuse(service, {
          reason: 'FieldValueInvalid',
          field: `spec.ports[${index}].nodePort`,
          message: `Invalid value: ${port.nodePort}: ${
            outside
              ? `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`
              : 'provided port is already allocated'
          }`,
        });
      }
    } else {
      let candidate = Math.floor(context.random() * size);
      while (taken.has(NODE_PORTS.first + candidate)) candidate = (candidate + 1) % size;
      port.nodePort = NODE_PORTS.first + candidate;
    }
    taken.add(Number(port.nodePort));
  });
}

/** Allocated values that a client omits on update are kept. */
export function keepAllocated(spec: Fields, old: Fields): void {
  if (spec.type === 'ExternalName') {
    if (old.type !== 'ExternalName' && spec.clusterIP === old.clusterIP) {
      for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) delete spec[field];
    }
    if (spec.internalTrafficPolicy === old.internalTrafficPolicy) delete spec.internalTrafficPolicy;
    return;
  }
  if (old.type !== 'ExternalName') {
    if (text(spec.clusterIP) === '' && array(spec.clusterIPs).length === 0) {
      spec.clusterIP = old.clusterIP;
      spec.clusterIPs = old.clusterIPs;
    }
    // Only `clusterIP` was changed: `clusterIPs` follows it.
    if (spec.clusterIP !== old.clusterIP && same(spec.clusterIPs, old.clusterIPs))
      spec.clusterIPs = [spec.clusterIP];
    for (const field of ['ipFamilies', 'ipFamilyPolicy']) if (isAbsent(spec[field])) spec[field] = old[field];
  }
  const external = ['NodePort', 'LoadBalancer'];
  if (!external.includes(text(spec.type))) {
    if (external.includes(text(old.type))) dropNodePorts(spec, old);
    return;
  }
  const known = new Map(records(old.ports).map((port) => [portKey(port), port.nodePort]));
  for (const port of records(spec.ports)) {
    const nodePort = known.get(portKey(port));
    if (isAbsent(port.nodePort) && !isAbsent(nodePort)) port.nodePort = nodePort;
  }
}

const portKey = (port: Fields): string => `${text(port.protocol)}/${String(port.port)}`;

/** A Service that is no longer external loses the fields for that, unless they were changed just now. */
function dropNodePorts(spec: Fields, old: Fields): void {
  const known = new Set(records(old.ports).map((port) => port.nodePort));
  for (const port of records(spec.ports)) if (known.has(port.nodePort)) delete port.nodePort;
  for (const field of ['externalTrafficPolicy', 'allocateLoadBalancerNodePorts']) {
    if (spec[field] === old[field]) delete spec[field];
  }
}
