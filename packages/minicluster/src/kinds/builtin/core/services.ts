import type { KubeObject } from '../../../model/object.ts';
import {
  array,
  dig,
  ensure,
  type Fields,
  fill,
  fillEmpty,
  isAbsent,
  isRecord,
  records,
  text,
} from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, column, name, wide } from '../../table.ts';
import { collect } from '../../validate/field.ts';
import { dnsLabel } from '../../validate/names.ts';
import { labelsText } from '../cells.ts';
import { define, notSupported, specOf, textAt } from '../define.ts';
import { allocate, keepAllocated } from './service-addresses.ts';
import { validateService, validateServiceUpdate } from './service-validation.ts';

const isExternal = (spec: Fields): boolean => ['NodePort', 'LoadBalancer'].includes(text(spec.type));

export const services: Kind = define({
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  nameRule: dnsLabel,
  hasStatus: true,
  emptyStatus: { loadBalancer: {} },
  subresources: ['proxy'],
  generation: 'never',
  createOnUpdate: true,
  selectableFields: { 'spec.clusterIP': textAt('spec', 'clusterIP'), 'spec.type': textAt('spec', 'type') },
  unknownFieldLabel: notSupported,
  columns: [
    name,
    column('Type', textAt('spec', 'type')),
    column('Cluster-IP', (object) => text(array(dig(object, 'spec', 'clusterIPs'))[0]) || '<none>'),
    column('External-IP', externalAddress),
    column('Port(s)', portsText),
    age,
    wide('Selector', (object) => labelsText(dig(object, 'spec', 'selector'))),
  ],
  setDefaults(object) {
    const spec = specOf(object);
    fillEmpty(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
    if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
    if (spec.sessionAffinity === 'ClientIP') {
      fill(ensure(ensure(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10800 });
    }
    for (const port of records(spec.ports)) {
      fillEmpty(port, { protocol: 'TCP' });
      fillEmpty(port, { targetPort: port.port });
    }
    const accessible = isExternal(spec) || (spec.type === 'ClusterIP' && array(spec.externalIPs).length > 0);
    if (accessible) fillEmpty(spec, { externalTrafficPolicy: 'Cluster' });
    if (spec.type !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' });
    if (spec.type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
    if (isAbsent(object.status)) object.status = { loadBalancer: {} };
  },
  prepareForCreate: (object, context) => allocate(object, context),
  prepareForUpdate(object, old, context) {
    keepAllocated(specOf(object), isRecord(old.spec) ? old.spec : {});
    allocate(object, context);
  },
  validateCreate: (object) => collect(object, validateService),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      validateServiceUpdate(root, old);
      validateService(root);
    }),
});

function externalAddress(object: KubeObject): string {
  const spec = isRecord(object.spec) ? object.spec : {};
  const external = array(spec.externalIPs).map(String);
  if (spec.type === 'ExternalName') return text(spec.externalName);
  if (spec.type !== 'LoadBalancer') return external.join(',') || '<none>';
  const ingress = records(dig(object, 'status', 'loadBalancer', 'ingress'))
    .map((entry) => text(entry.ip) || text(entry.hostname))
    .filter((address) => address !== '')
    .sort();
  return [...new Set(ingress), ...external].join(',') || '<pending>';
}

function portsText(object: KubeObject): string {
  const ports = records(dig(object, 'spec', 'ports')).map((port) => {
    const nodePort = typeof port.nodePort === 'number' && port.nodePort > 0 ? `:${port.nodePort}` : '';
    return `${String(port.port)}${nodePort}/${text(port.protocol)}`;
  });
  return ports.join(',') || '<none>';
}
