/** networking.k8s.io: Ingresses, their classes, and NetworkPolicies. */
import { isIP } from 'node:net';
import type { KubeObject } from '../../model/object.ts';
import { array, dig, fill, isAbsent, isRecord, records, same, text } from '../fields.ts';
import type { Kind } from '../kind.ts';
import { age, column, name } from '../table.ts';
import { collect, type Field } from '../validate/field.ts';
import {
  dnsLabel,
  dnsSubdomain,
  pathSegment,
  portName,
  portNumber,
  wildcardSubdomain,
} from '../validate/names.ts';
import { selectorText, validateLabelSelector } from '../validate/selector.ts';
import { firstThree, textOr } from './cells.ts';
import { define, specOf, textAt } from './define.ts';

const GROUP = 'networking.k8s.io';

export const ingresses: Kind = define({
  group: GROUP,
  kind: 'Ingress',
  plural: 'ingresses',
  shortNames: ['ing'],
  hasStatus: true,
  emptyStatus: { loadBalancer: {} },
  generation: 'spec',
  checksMetadataTwice: true,
  columns: [
    name,
    column('Class', textOr('<none>', 'spec', 'ingressClassName')),
    column('Hosts', (object) =>
      firstThree(
        records(dig(object, 'spec', 'rules'))
          .map((rule) => text(rule.host))
          .filter((host) => host !== ''),
        '*',
      ),
    ),
    column('Address', (object) =>
      records(dig(object, 'status', 'loadBalancer', 'ingress'))
        .map((entry) => text(entry.ip) || text(entry.hostname))
        .filter((address) => address !== '')
        .sort()
        .join(','),
    ),
    column('Ports', (object) => (array(dig(object, 'spec', 'tls')).length > 0 ? '80, 443' : '80')),
    age,
  ],
  setDefaults(object) {
    specOf(object);
  },
  validateCreate: (object) =>
    collect(object, (root) => {
      validateIngressSpec(root.child('spec'));
      const annotation = object.metadata.annotations?.['kubernetes.io/ingress.class'];
      const chosen = root.child('spec', 'ingressClassName');
      if (annotation !== undefined && !chosen.absent && annotation !== chosen.value) {
        root
          .named('annotations.kubernetes.io/ingress.class')
          .invalid('must match `ingressClassName` when both are specified', annotation);
      }
    }),
  validateUpdate: (object) => collect(object, (root) => validateIngressSpec(root.child('spec'))),
});

function validateIngressSpec(spec: Field): void {
  const rules = spec.child('rules');
  const backend = spec.child('defaultBackend');
  if (rules.count === 0 && backend.absent) {
    spec.invalid('either `defaultBackend` or `rules` must be specified', rules.value ?? null);
  }
  if (!backend.absent) validateBackend(backend);
  for (const rule of rules.items()) {
    validateHost(rule.child('host'));
    const http = rule.child('http');
    if (http.absent) continue;
    const paths = http.child('paths');
    if (paths.count === 0) paths.required();
    for (const path of paths.items()) validatePath(path);
  }
  for (const tls of spec.child('tls').items()) {
    for (const host of tls.child('hosts').items()) {
      host.invalidAll(host.text.includes('*') ? wildcardSubdomain(host.text) : dnsSubdomain(host.text));
    }
    const secret = tls.child('secretName');
    if (!secret.empty) secret.invalidAll(dnsSubdomain(secret.text));
  }
  const chosen = spec.child('ingressClassName');
  if (!chosen.absent) chosen.invalidAll(dnsSubdomain(chosen.text));
}

function validateHost(host: Field): void {
  if (host.empty) return;
  if (isIP(host.text) !== 0) host.invalid('must be a DNS name, not an IP address');
  host.invalidAll(host.text.includes('*') ? wildcardSubdomain(host.text) : dnsSubdomain(host.text));
}

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

function validatePath(path: Field): void {
  const type = path.child('pathType');
  if (type.absent) {
    type.required('pathType must be specified');
    return;
  }
  const location = path.child('path');
  if (!PATH_TYPES.includes(type.text)) type.notSupported(PATH_TYPES);
  else {
    const strict = type.text !== 'ImplementationSpecific';
    if ((strict || !location.empty) && !location.text.startsWith('/')) {
      location.invalid('must be an absolute path', location.text);
    }
    if (strict) {
      for (const part of ['//', '/./', '/../', '%2f', '%2F']) {
        if (location.text.includes(part)) location.invalid(`must not contain '${part}'`);
      }
      for (const ending of ['/..', '/.']) {
        if (location.text.endsWith(ending)) location.invalid(`cannot end with '${ending}'`);
      }
    }
  }
  validateBackend(path.child('backend'));
}

function validateBackend(backend: Field): void {
  const resource = backend.child('resource');
  const service = backend.child('service');
  if (!resource.absent && !service.absent) {
    backend.invalid('cannot set both resource and service backends', '');
    return;
  }
  if (!resource.absent) {
    for (const field of ['kind', 'name']) {
      const value = resource.child(field);
      if (value.empty) value.required();
      else value.invalidAll(pathSegment(value.text));
    }
    return;
  }
  if (service.absent) {
    backend.invalid('resource or service backend is required', '');
    return;
  }
  const serviceName = service.child('name');
  if (serviceName.empty) serviceName.required();
  else serviceName.invalidAll(dnsLabel(serviceName.text));
  const portByName = service.child('port', 'name');
  const portByNumber = service.child('port', 'number');
  if (!portByName.empty && portByNumber.number !== 0)
    backend.invalid('cannot set both port name & port number', '');
  else if (!portByName.empty) portByName.invalidAll(portName(portByName.text));
  else if (portByNumber.number !== 0) portByNumber.invalidAll(portNumber(portByNumber.number));
  else backend.required('port name or number is required');
}

export const ingressClasses: Kind = define({
  group: GROUP,
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  generation: 'spec',
  checksMetadataTwice: true,
  columns: [
    column('Name', classNameText, { format: 'name' }),
    column('Controller', textAt('spec', 'controller')),
    column('Parameters', (object) => {
      const parameters = dig(object, 'spec', 'parameters');
      if (!isRecord(parameters)) return '<none>';
      const group = isAbsent(parameters.apiGroup) ? '' : `.${text(parameters.apiGroup)}`;
      return `${text(parameters.kind)}${group}/${text(parameters.name)}`;
    }),
    age,
  ],
  setDefaults(object) {
    const { parameters } = specOf(object);
    if (isRecord(parameters)) fill(parameters, { scope: 'Cluster' });
  },
  validateCreate: (object) => collect(object, (root) => validateController(root.child('spec', 'controller'))),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      const controller = root.child('spec', 'controller');
      if (!same(controller.value, dig(old, 'spec', 'controller'))) controller.invalid('field is immutable');
      validateController(controller);
    }),
});

function classNameText(object: KubeObject): string {
  const isDefault = object.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
  return `${object.metadata.name}${isDefault ? ' (default)' : ''}`;
}

function validateController(controller: Field): void {
  if (controller.empty) {
    controller.required();
    return;
  }
  const slash = controller.text.indexOf('/');
  if (slash <= 0 || slash === controller.text.length - 1) {
    controller.invalid('must be a domain-prefixed path (such as "acme.io/foo")');
    return;
  }
  controller.invalidAll(dnsSubdomain(controller.text.slice(0, slash)), controller.text.slice(0, slash));
}

export const networkPolicies: Kind = define({
  group: GROUP,
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  generation: 'spec',
  columns: [
    name,
    column('Pod-Selector', (object) => selectorText(dig(object, 'spec', 'podSelector')) || '<none>'),
    age,
  ],
  setDefaults(object) {
    const spec = specOf(object);
    fill(spec, { podSelector: {} });
    if (array(spec.policyTypes).length === 0) {
      spec.policyTypes = array(spec.egress).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    }
    for (const rule of [...records(spec.ingress), ...records(spec.egress)]) {
      for (const port of records(rule.ports)) fill(port, { protocol: 'TCP' });
    }
  },
  validateCreate: (object) => collect(object, (root) => validatePolicy(root.child('spec'))),
  validateUpdate: (object) => collect(object, (root) => validatePolicy(root.child('spec'))),
});

function validatePolicy(spec: Field): void {
  validateLabelSelector(spec.child('podSelector'));
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const rule of spec.child(direction).items()) {
      for (const port of rule.child('ports').items()) {
        const protocol = port.child('protocol');
        if (!['TCP', 'UDP', 'SCTP'].includes(protocol.text)) protocol.notSupported(['TCP', 'UDP', 'SCTP']);
        const value = port.child('port');
        if (typeof value.value === 'number') value.invalidAll(portNumber(value.value));
        else if (!value.absent) value.invalidAll(portName(value.text));
      }
      for (const peer of rule.child(peers).items()) validatePeer(peer);
    }
  }
  for (const type of spec.child('policyTypes').items()) {
    if (!['Ingress', 'Egress'].includes(type.text)) type.notSupported(['Ingress', 'Egress']);
  }
}

function validatePeer(peer: Field): void {
  const given = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((field) => !peer.child(field).absent);
  for (const field of given) if (field !== 'ipBlock') validateLabelSelector(peer.child(field));
  if (given.length === 0) peer.required('must specify a peer');
  else if (given.length > 1 && given.includes('ipBlock')) {
    peer.forbidden('may not specify both ipBlock and another peer');
  }
}
