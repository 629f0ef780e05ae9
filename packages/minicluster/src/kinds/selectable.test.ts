import { expect, test } from 'vitest';
import type { KubeObject } from '../model/object.ts';
import { KindRegistry } from './registry.ts';
import { fieldsOf, isFieldLabel, unknownFieldLabelText } from './selectable.ts';

const registry = new KindRegistry();
const kind = (group: string, plural: string) => {
  const found = registry.preferred(group, plural);
  if (!found) throw new Error(`${plural} is not served`);
  return found;
};

// Both columns as kube-apiserver v1.36.3 answers.
test.each([
  ['', 'pods', 'status.phase', true],
  ['', 'pods', 'spec.host', true],
  ['', 'pods', 'status.podIPs', true],
  ['', 'pods', 'spec.foo', false],
  ['', 'nodes', 'metadata.namespace', false],
  ['', 'namespaces', 'metadata.namespace', false],
  ['', 'namespaces', 'status.phase', true],
  ['', 'secrets', 'type', true],
  ['', 'services', 'spec.clusterIP', true],
  ['', 'events', 'involvedObject.kind', true],
  ['', 'persistentvolumes', 'name', false],
  ['', 'persistentvolumes', 'metadata.namespace', true],
  ['apps', 'replicasets', 'status.replicas', false],
  ['batch', 'jobs', 'status.successful', true],
  ['events.k8s.io', 'events', 'regarding.kind', true],
  ['events.k8s.io', 'events', 'involvedObject.kind', false],
  ['events.k8s.io', 'events', 'source', false],
])('%s/%s: %s can be selected by: %s', (group, plural, label, expected) => {
  expect(isFieldLabel(kind(group, plural), label)).toBe(expected);
});

test.each([
  ['', 'pods', 'field label not supported: spec.foo'],
  ['', 'configmaps', '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  ['batch', 'jobs', 'field label "spec.foo" not supported for Job'],
])('%s/%s: an unknown field is refused in the words of the server', (group, plural, text) => {
  expect(unknownFieldLabelText(kind(group, plural), 'spec.foo')).toBe(text);
});

test('the fields of a Pod have the values that selectors compare with', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n' },
    spec: { nodeName: 'node', restartPolicy: 'Always' },
    status: { phase: 'Running', podIPs: [{ ip: '10.1.2.3' }] },
  } as unknown as KubeObject;
  expect(fieldsOf(kind('', 'pods'), pod)).toMatchObject({
    'metadata.name': 'p',
    'metadata.namespace': 'n',
    'spec.nodeName': 'node',
    'spec.hostNetwork': 'false',
    'status.phase': 'Running',
    'status.podIP': '10.1.2.3',
    'status.nominatedNodeName': '',
  });
});

test('a cluster-wide kind has no namespace to select by', () => {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } } as unknown as KubeObject;
  expect(fieldsOf(kind('', 'nodes'), node)).toEqual({ 'metadata.name': 'n', 'spec.unschedulable': 'false' });
});
