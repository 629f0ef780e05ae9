import { expect, test } from 'vitest';
import type { KubeObject } from '../../../model/object.ts';
import { StatusError } from '../../../model/status.ts';
import { allocate, keepAllocated } from './service-addresses.ts';

const service = (name: string, spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'n', uid: name, resourceVersion: '', creationTimestamp: '' },
  spec: { type: 'ClusterIP', ...spec },
});

/** A cluster with a fixed random sequence. */
function cluster() {
  const stored: KubeObject[] = [];
  let state = 1;
  const random = (): number => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
  const create = (name: string, spec: object): Record<string, unknown> => {
    const object = service(name, spec);
    allocate(object, { now: 0, list: () => stored, random });
    stored.push(object);
    return object.spec as Record<string, unknown>;
  };
  return create;
}

test('each Service gets an address of its own, until there are none', () => {
  const create = cluster();
  const addresses = Array.from({ length: 253 }, (_, index) => create(`s${index}`, {}).clusterIP);
  expect(new Set(addresses).size).toBe(253);
  for (const address of addresses) expect(address).toMatch(/^10\.0\.0\.\d+$/);
  expect(() => create('one-too-many', {})).toThrow('range is full');
});

test('addresses that people choose are left for last', () => {
  const create = cluster();
  const hosts = Array.from({ length: 100 }, (_, index) =>
    Number(String(create(`s${index}`, {}).clusterIP).split('.')[3]),
  );
  expect(Math.min(...hosts)).toBeGreaterThanOrEqual(16);
});

test('an address that was asked for is not given twice', () => {
  const create = cluster();
  expect(create('a', { clusterIP: '10.0.0.5' }).clusterIPs).toEqual(['10.0.0.5']);
  expect(() => create('b', { clusterIP: '10.0.0.5' })).toThrow(StatusError);
});

test('every port of a NodePort Service gets a node port of its own', () => {
  const ports = Array.from({ length: 50 }, (_, index) => ({ port: index + 1 }));
  const spec = cluster()('a', { type: 'NodePort', ports });
  const given = (spec.ports as { nodePort: number }[]).map(({ nodePort }) => nodePort);
  expect(new Set(given).size).toBe(50);
  for (const port of given) expect(port >= 30000 && port <= 32767).toBe(true);
});

test('a load balancer can do without node ports', () => {
  const spec = cluster()('a', {
    type: 'LoadBalancer',
    allocateLoadBalancerNodePorts: false,
    ports: [{ port: 80 }],
  });
  expect(spec.ports).toEqual([{ port: 80 }]);
});

const given = {
  type: 'NodePort',
  clusterIP: '10.0.0.9',
  clusterIPs: ['10.0.0.9'],
  ports: [{ port: 80, protocol: 'TCP', nodePort: 30001 }],
};

test('what an update leaves out stays as it was given', () => {
  const spec = {
    type: 'NodePort',
    ports: [
      { port: 80, protocol: 'TCP' },
      { port: 81, protocol: 'TCP' },
    ],
  };
  keepAllocated(spec, given);
  expect(spec).toMatchObject({
    clusterIP: '10.0.0.9',
    clusterIPs: ['10.0.0.9'],
    ports: [{ port: 80, nodePort: 30001 }, { port: 81 }],
  });
});

test('what an update says itself is not changed', () => {
  const spec = {
    type: 'NodePort',
    clusterIP: '10.0.0.7',
    clusterIPs: ['10.0.0.7'],
    ports: [{ port: 80, protocol: 'TCP', nodePort: 30007 }],
  };
  keepAllocated(spec, given);
  expect(spec).toMatchObject({ clusterIP: '10.0.0.7', ports: [{ nodePort: 30007 }] });
});

test('a Service that leaves the nodes gives its ports back', () => {
  const spec = { ...structuredClone(given), type: 'ClusterIP' };
  keepAllocated(spec, given);
  expect(spec.ports).toEqual([{ port: 80, protocol: 'TCP' }]);
});
