import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../model/object.ts';
import { type KindChange, KindRegistry } from './registry.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

interface Options {
  readonly names?: Record<string, unknown>;
  readonly versions?: readonly object[];
  readonly group?: string;
}

function definition(
  plural: string,
  kind: string,
  { names, versions, group = 'example.com' }: Options = {},
): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, uid: plural, resourceVersion: '1', creationTimestamp: '' },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List`, ...names },
      versions: versions ?? [{ name: 'v1', served: true, storage: true, schema }],
    },
    status: { storedVersions: ['v1'] },
  };
}

/** As the server does: set a status, then serve the kind. */
function install(registry: KindRegistry, crd: KubeObject): KubeObject {
  const status = registry.crdStatus(crd, NOW);
  const stored = status ? { ...crd, status } : crd;
  registry.setCrd(stored);
  return stored;
}

const condition = (crd: KubeObject, type: string): unknown =>
  (crd.status as { conditions: { type: string }[] }).conditions.find((entry) => entry.type === type);

describe('built-in kinds', () => {
  const registry = new KindRegistry();

  test('are found by path, by resource and by what an object says', () => {
    const deployments = registry.lookup('apps', 'v1', 'deployments');
    expect(deployments?.kind).toBe('Deployment');
    expect(registry.preferred('apps', 'deployments')).toBe(deployments);
    expect(registry.byKind('apps/v1', 'Deployment')).toBe(deployments);
    expect(registry.byKind('v1', 'Pod')?.plural).toBe('pods');
    expect(registry.lookup('apps', 'v1beta1', 'deployments')).toBeUndefined();
  });

  test('come in groups, the core group first', () => {
    expect(registry.groups()[0]).toEqual({ name: '', versions: ['v1'] });
    expect(registry.groups().map(({ name }) => name)).toContain('batch');
    expect(registry.inGroupVersion('batch', 'v1').map(({ plural }) => plural)).toEqual(['cronjobs', 'jobs']);
  });

  test('have short names that nobody else has within a group', () => {
    for (const { name } of registry.groups()) {
      const names = registry.all().flatMap((kind) => (kind.group === name ? (kind.shortNames ?? []) : []));
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('belong to `all` as they do upstream', () => {
    const all = registry.all().filter((kind) => kind.categories?.includes('all'));
    expect(all.map(({ plural }) => plural).sort()).toEqual([
      'cronjobs',
      'daemonsets',
      'deployments',
      'horizontalpodautoscalers',
      'jobs',
      'pods',
      'replicasets',
      'replicationcontrollers',
      'services',
      'statefulsets',
    ]);
  });
});

describe('a CustomResourceDefinition', () => {
  test('is served once its status says so, and no longer when it is gone', () => {
    const registry = new KindRegistry();
    const changes: KindChange[] = [];
    registry.subscribe((change) => changes.push(change));
    const crd = definition('widgets', 'Widget');
    registry.setCrd(crd);
    expect(registry.lookup('example.com', 'v1', 'widgets')).toBeUndefined();
    install(registry, crd);
    expect(registry.lookup('example.com', 'v1', 'widgets')?.kind).toBe('Widget');
    registry.removeCrd('widgets.example.com');
    expect(registry.byKind('example.com/v1', 'Widget')).toBeUndefined();
    expect(changes.map(({ added, removed }) => [added.length, removed.length])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test('is established at once when its names are free', () => {
    const stored = install(
      new KindRegistry(),
      definition('widgets', 'Widget', { names: { shortNames: ['w'], categories: ['all'] } }),
    );
    expect(condition(stored, 'NamesAccepted')).toEqual({
      type: 'NamesAccepted',
      status: 'True',
      reason: 'NoConflicts',
      message: 'no conflicts found',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    expect(condition(stored, 'Established')).toMatchObject({
      status: 'True',
      reason: 'InitialNamesAccepted',
    });
    expect(stored.status).toMatchObject({
      acceptedNames: { plural: 'widgets', kind: 'Widget', shortNames: ['w'], categories: ['all'] },
      storedVersions: ['v1'],
    });
  });

  test('has nothing to write when its status is right', () => {
    const registry = new KindRegistry();
    const stored = install(registry, definition('widgets', 'Widget'));
    expect(registry.crdStatus(stored, NOW + 60_000)).toBeUndefined();
  });

  test.each([
    [
      'KindConflict',
      definition('gadgets', 'Widget', { names: { listKind: 'GadgetList' } }),
      '"Widget" is already in use',
    ],
    [
      'ShortNamesConflict',
      definition('gadgets', 'Gadget', { names: { shortNames: ['w'] } }),
      '"w" is already in use',
    ],
    [
      'SingularConflict',
      definition('gadgets', 'Gadget', { names: { singular: 'widget' } }),
      '"widget" is already in use',
    ],
    [
      'ListKindConflict',
      definition('gadgets', 'Gadget', { names: { listKind: 'WidgetList' } }),
      '"WidgetList" is already in use',
    ],
  ])('that wants a taken name is not served: %s', (reason, crd, message) => {
    const registry = new KindRegistry();
    install(registry, definition('widgets', 'Widget', { names: { shortNames: ['w'] } }));
    const stored = install(registry, crd);
    expect(condition(stored, 'NamesAccepted')).toMatchObject({ status: 'False', reason, message });
    expect(condition(stored, 'Established')).toMatchObject({ status: 'False', reason: 'NotAccepted' });
    expect(registry.lookup('example.com', 'v1', 'gadgets')).toBeUndefined();
  });

  test('gets a name as soon as it is free again', () => {
    const registry = new KindRegistry();
    install(registry, definition('widgets', 'Widget'));
    const waiting = install(registry, definition('gadgets', 'Widget', { names: { singular: 'gadget' } }));
    registry.removeCrd('widgets.example.com');
    install(registry, waiting);
    expect(registry.lookup('example.com', 'v1', 'gadgets')?.kind).toBe('Widget');
  });

  test('of another group may have the same names', () => {
    const registry = new KindRegistry();
    install(registry, definition('widgets', 'Widget'));
    const stored = install(registry, definition('widgets', 'Widget', { group: 'other.com' }));
    expect(condition(stored, 'NamesAccepted')).toMatchObject({ status: 'True' });
  });

  test('serves the versions that it says, the newest stable one preferred', () => {
    const registry = new KindRegistry();
    const version = (name: string, served: boolean, storage: boolean) => ({
      name,
      served,
      storage,
      schema: { openAPIV3Schema: { type: 'object' } },
    });
    const versions = [
      version('v1alpha1', true, false),
      version('v1', true, true),
      version('v2', false, false),
    ];
    install(registry, definition('widgets', 'Widget', { versions }));
    expect(registry.groups().find(({ name }) => name === 'example.com')?.versions).toEqual([
      'v1',
      'v1alpha1',
    ]);
    expect(registry.preferred('example.com', 'widgets')?.version).toBe('v1');
    expect(registry.lookup('example.com', 'v1alpha1', 'widgets')?.storage).toMatchObject({ version: 'v1' });
    expect(registry.lookup('example.com', 'v1', 'widgets')?.storage).toBeUndefined();
  });

  test('that loses a version takes away only that', () => {
    const registry = new KindRegistry();
    const schema = { openAPIV3Schema: { type: 'object' } };
    const both = [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
    ];
    const stored = install(registry, definition('widgets', 'Widget', { versions: both }));
    registry.setCrd({ ...definition('widgets', 'Widget'), status: stored.status });
    expect(registry.lookup('example.com', 'v1', 'widgets')).toBeDefined();
    expect(registry.lookup('example.com', 'v2', 'widgets')).toBeUndefined();
  });

  test('does not call a listener that has left', () => {
    const registry = new KindRegistry();
    let calls = 0;
    const leave = registry.subscribe(() => calls++);
    leave();
    install(registry, definition('widgets', 'Widget'));
    expect(calls).toBe(0);
  });
});
