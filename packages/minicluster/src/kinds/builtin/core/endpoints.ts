/** Endpoints and EndpointSlices: stored and shown; no controller fills them. */
import { array, dig, fill, fillEmpty, integer, records, same, text } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { contentChanged } from '../../strategy.ts';
import { age, column, name } from '../../table.ts';
import { collect } from '../../validate/field.ts';
import { firstThree } from '../cells.ts';
import { define, textAt } from '../define.ts';

export const endpoints: Kind = define({
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  shortNames: ['ep'],
  generation: 'never',
  checksMetadataTwice: true,
  createOnUpdate: true,
  columns: [
    name,
    column('Endpoints', (object) =>
      firstThree(
        records(object.subsets).flatMap((subset) => {
          const addresses = records(subset.addresses).map((address) => text(address.ip));
          const ports = records(subset.ports);
          if (ports.length === 0) return addresses;
          return ports.flatMap((port) => addresses.map((address) => `${address}:${integer(port.port)}`));
        }),
        '<none>',
      ),
    ),
    age,
  ],
  setDefaults(object) {
    for (const subset of records(object.subsets)) {
      for (const port of records(subset.ports)) fillEmpty(port, { protocol: 'TCP' });
    }
  },
});

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export const endpointSlices: Kind = define({
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  generation: (object, old) =>
    contentChanged(object, old) || !same(object.metadata.labels, old.metadata.labels),
  columns: [
    name,
    column('AddressType', textAt('addressType')),
    column('Ports', (object) =>
      firstThree(
        records(object.ports).map((port) => String(port.port ?? (text(port.name) || '*'))),
        '<unset>',
      ),
    ),
    column('Endpoints', (object) =>
      firstThree(
        records(object.endpoints).flatMap((endpoint) => array(endpoint.addresses).map(String)),
        '<unset>',
      ),
    ),
    age,
  ],
  setDefaults(object) {
    for (const port of records(object.ports)) fill(port, { name: '', protocol: 'TCP' });
  },
  validateCreate: (object) => collect(object, (root) => root.child('addressType').oneOf(ADDRESS_TYPES)),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      const type = root.child('addressType');
      if (type.value !== dig(old, 'addressType')) type.invalid('field is immutable');
    }),
});
