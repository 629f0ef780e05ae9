/** The rules for Services. */
import { isIP } from 'node:net';
import type { KubeObject } from '../../../model/object.ts';
import { array, record, text } from '../../fields.ts';
import { PROTOCOLS, validatePort } from '../../pod/containers.ts';
import type { Field } from '../../validate/field.ts';
import { Struct } from '../../validate/go-format.ts';
import { dnsLabel, dnsSubdomain, portNumber, qualifiedName, rangeText } from '../../validate/names.ts';
import { validateLabels } from '../../validate/selector.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const IP_TEXT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

export function validateService(root: Field): void {
  const spec = root.child('spec');
  const type = spec.child('type').text;
  const headless = array(spec.child('clusterIPs').value)[0] === 'None';
  const ports = spec.child('ports');
  if (ports.count === 0 && !headless && type !== 'ExternalName') ports.required();
  if (headless && (type === 'LoadBalancer' || type === 'NodePort')) {
    spec.child('clusterIPs[0]').invalid(`may not be set to 'None' for ${type} services`, 'None');
  }
  if (type === 'ExternalName') validateExternalName(spec);
  const names = new Set<string>();
  for (const port of ports.items()) validateServicePort(port, ports.count > 1, names);
  validateLabels(spec.child('selector'));
  validateAffinity(spec);
  validateAddresses(spec);
  for (const address of spec.child('externalIPs').items()) {
    if (isIP(address.text) === 0) address.invalid(IP_TEXT);
  }
  const typeField = spec.child('type');
  if (typeField.empty) typeField.required();
  else if (!TYPES.includes(type)) typeField.notSupported(TYPES);
  validatePortNumbers(ports, type);
  const allocates = spec.child('allocateLoadBalancerNodePorts');
  if (!allocates.absent && type !== 'LoadBalancer') {
    allocates.forbidden("may only be used when `type` is 'LoadBalancer'");
  }
  validateTraffic(spec, type);
}

function validateExternalName(spec: Field): void {
  for (const field of ['clusterIPs', 'ipFamilies']) {
    if (spec.child(field).count > 0) spec.child(field).forbidden('may not be set for ExternalName services');
  }
  const policy = spec.child('ipFamilyPolicy');
  if (!policy.absent) policy.forbidden('may not be set for ExternalName services');
  const name = spec.child('externalName');
  const host = name.text.replace(/\.$/, '');
  if (host) name.invalidAll(dnsSubdomain(host), host);
  else name.required();
}

function validateServicePort(port: Field, named: boolean, names: Set<string>): void {
  const name = port.child('name');
  if (name.empty) {
    if (named) name.required();
  } else {
    name.invalidAll(dnsLabel(name.text));
    if (names.has(name.text)) name.duplicate();
    names.add(name.text);
  }
  const number = port.child('port');
  number.invalidAll(portNumber(number.number), number.number);
  port.child('protocol').oneOf(PROTOCOLS);
  validatePort(port.child('targetPort'));
  const protocol = port.child('appProtocol');
  if (!protocol.absent) protocol.invalidAll(qualifiedName(protocol.text));
}

function validateAffinity(spec: Field): void {
  const affinity = spec.child('sessionAffinity');
  affinity.oneOf(['ClientIP', 'None']);
  if (affinity.text !== 'ClientIP') return;
  const timeout = spec.child('sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (timeout.number <= 0 || timeout.number > 86400) timeout.invalid(rangeText(0, 86400), timeout.value);
}

function validateAddresses(spec: Field): void {
  if (spec.child('type').text === 'ExternalName') return;
  const addresses = spec.child('clusterIPs');
  const first = text(array(addresses.value)[0]);
  const address = spec.child('clusterIP').text;
  if (address && addresses.count === 0) addresses.required();
  else if (address && first !== address) addresses.invalid('first value must match `clusterIP`');
  for (const [index, item] of addresses.items().entries()) {
    if (index === 0 && item.text === 'None') {
      if (addresses.count > 1) addresses.invalid("'None' must be the first and only value");
    } else if (isIP(item.text) === 0) item.invalid(IP_TEXT);
  }
  for (const family of spec.child('ipFamilies').items()) {
    if (!['IPv4', 'IPv6'].includes(family.text)) family.notSupported(['IPv4', 'IPv6']);
  }
}

function validatePortNumbers(ports: Field, type: string): void {
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  const items = ports.items();
  for (const port of items) {
    const nodePort = port.child('nodePort');
    if (nodePort.number === 0) continue;
    if (type === 'ClusterIP') nodePort.forbidden("may not be used when `type` is 'ClusterIP'");
  }
  for (const port of items) {
    const nodePort = port.child('nodePort');
    if (nodePort.number === 0) continue;
    const key = `${port.child('protocol').text}/${nodePort.number}`;
    if (nodePorts.has(key)) nodePort.duplicate();
    nodePorts.add(key);
  }
  for (const port of items) {
    const key = `${port.child('protocol').text}/${port.child('port').number}`;
    if (numbers.has(key)) port.duplicate(internalPort(port));
    numbers.add(key);
  }
}

/** The server prints its internal type of a port, whose fields have no JSON names. */
const internalPort = (port: Field): unknown =>
  new Struct({
    Name: '',
    Protocol: port.child('protocol').text,
    AppProtocol: null,
    Port: port.child('port').number,
    TargetPort: 0,
    NodePort: 0,
  });

function validateTraffic(spec: Field, type: string): void {
  const outwards = type === 'NodePort' || type === 'LoadBalancer';
  const policy = spec.child('externalTrafficPolicy');
  const accessible = outwards || (type === 'ClusterIP' && spec.child('externalIPs').count > 0);
  if (!accessible) {
    if (!policy.empty) policy.invalid('may only be set for externally-accessible services');
  } else policy.oneOf(['Cluster', 'Local']);
  const internal = spec.child('internalTrafficPolicy');
  if (!internal.absent && !['Cluster', 'Local'].includes(internal.text)) {
    internal.notSupported(['Cluster', 'Local']);
  }
}

/** A cluster IP is immutable. */
export function validateServiceUpdate(root: Field, old: KubeObject): void {
  const before = record(old.spec);
  const spec = root.child('spec');
  if (before.type === 'ExternalName' || spec.child('type').text === 'ExternalName') return;
  const addresses = spec.child('clusterIPs');
  array(before.clusterIPs).forEach((address, index) => {
    if (text(address) === '' || array(addresses.value)[index] === address) return;
    const field = root.child('spec', 'clusterIPs').items()[index] ?? addresses;
    field.invalid('may not change once set', addresses.value);
  });
}
