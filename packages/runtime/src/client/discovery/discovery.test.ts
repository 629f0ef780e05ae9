import { describe, expect, it } from 'vitest';
import { createCapturingLogger } from '../../testing/index.ts';
import { createClient } from '../create-client.ts';
import { Deployment, Pod } from '../kinds.ts';
import { type Answer, type Handler, memoryTransport } from '../memory-transport.test.support.ts';
import { discover, serverVersion, UnknownKindError } from './discovery.ts';

const AGGREGATED = /apidiscovery\.k8s\.io/;

const aggregatedGroup = (group: string, version: string, resources: object[]): object => ({
  metadata: group ? { name: group } : {},
  versions: [{ version, resources, freshness: 'Current' }],
});
const aggregatedResource = (kind: string, resource: string, scope = 'Namespaced'): object => ({
  resource,
  responseKind: { group: '', version: '', kind },
  scope,
  verbs: ['get', 'list'],
  shortNames: [resource.slice(0, 2)],
  subresources: [{ subresource: 'status' }],
});

/** A modern server: two documents. The widgets appear when they are installed. */
function aggregated(installed = { widgets: false }): Handler {
  return ({ path }) => {
    const groups =
      path === '/api'
        ? [
            aggregatedGroup('', 'v1', [
              aggregatedResource('Pod', 'pods'),
              aggregatedResource('Node', 'nodes', 'Cluster'),
            ]),
          ]
        : [
            aggregatedGroup('apps', 'v1', [aggregatedResource('Deployment', 'deployments')]),
            ...(installed.widgets
              ? [aggregatedGroup('example.com', 'v1', [aggregatedResource('Widget', 'widgets')])]
              : []),
          ];
    return { body: { kind: 'APIGroupDiscoveryList', items: groups } };
  };
}

/** An old server: a document per group and version. */
const plain: Record<string, Answer> = {
  '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
  '/apis': {
    body: {
      kind: 'APIGroupList',
      groups: [
        {
          name: 'apps',
          versions: [{ version: 'v1' }, { version: 'v1beta1' }],
          preferredVersion: { version: 'v1' },
        },
        { name: 'broken.example', versions: [{ version: 'v1' }] },
      ],
    },
  },
  '/api/v1': {
    body: {
      resources: [
        { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['get', 'list'], shortNames: ['po'] },
        { name: 'pods/status', kind: 'Pod', namespaced: true, verbs: ['get'] },
        { name: 'nodes', kind: 'Node', namespaced: false, verbs: ['get', 'list'], shortNames: ['no'] },
        { name: 'nodes/status', kind: 'Node', namespaced: false, verbs: ['get'] },
      ],
    },
  },
  '/apis/apps/v1': {
    body: {
      resources: [
        {
          name: 'deployments',
          kind: 'Deployment',
          namespaced: true,
          verbs: ['get', 'list'],
          shortNames: ['de'],
        },
        { name: 'deployments/status', kind: 'Deployment', namespaced: true },
      ],
    },
  },
  '/apis/apps/v1beta1': { status: 404, body: '404 page not found' },
  '/apis/broken.example/v1': { status: 503, body: 'down' },
};

describe('discovery', () => {
  it('takes two requests from a server that aggregates', async () => {
    const transport = memoryTransport(aggregated());
    await discover(createClient({ transport }));
    expect(transport.requests.map((request) => request.path)).toEqual(['/api', '/apis']);
    expect(transport.last.headers.accept).toMatch(AGGREGATED);
    expect(transport.last.headers.accept).toMatch(/,application\/json$/);
  });

  it('finds the same in both forms', async () => {
    const { logger, messages } = createCapturingLogger();
    const modern = await discover(createClient({ transport: memoryTransport(aggregated()) }));
    const old = await discover(
      createClient({
        transport: memoryTransport(({ path }) => plain[path] ?? { status: 404 }),
        retry: false,
      }),
      { logger },
    );
    expect(old.resources).toEqual(modern.resources);
    expect(modern.resources[0]).toEqual({
      group: '',
      version: 'v1',
      kind: 'Pod',
      plural: 'pods',
      namespaced: true,
      verbs: ['get', 'list'],
      shortNames: ['po'],
      subresources: ['status'],
    });
    expect(messages('warn')).toEqual(['Discovery of one API group failed, its resources are unknown']);
  });

  it('resolves kinds to resource types', async () => {
    const discovery = await discover(createClient({ transport: memoryTransport(aggregated()) }));
    expect(await discovery.resolveKind({ apiVersion: 'apps/v1', kind: 'Deployment' })).toEqual(Deployment);
    expect(await discovery.resolveKind({ apiVersion: 'v1', kind: 'Pod' })).toEqual(Pod);
    expect(await discovery.hasResource(Pod)).toBe(true);
    expect(await discovery.hasResource({ ...Pod, plural: 'peas' })).toBe(false);
  });

  it('looks up again before it reports a missing kind, once for all callers', async () => {
    const installed = { widgets: false };
    const transport = memoryTransport(aggregated(installed));
    const discovery = await discover(createClient({ transport }));
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
    await expect(discovery.resolveKind(widget)).rejects.toThrow(UnknownKindError);
    await expect(discovery.resolveKind(widget)).rejects.toThrow(
      'The server serves no Widget in example.com/v1: install its CustomResourceDefinition, or check apiVersion and kind',
    );
    installed.widgets = true;
    const before = transport.requests.length;
    const types = await Promise.all([discovery.resolveKind(widget), discovery.resolveKind(widget)]);
    expect(types[0]).toEqual({
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
    });
    expect(transport.requests.length - before).toBe(2);
    await discovery.resolveKind(widget);
    expect(transport.requests.length - before).toBe(2);
  });

  it('gives up waiting when the signal aborts', async () => {
    const controller = new AbortController();
    const waiting = discover(createClient({ transport: memoryTransport(() => new Promise(() => {})) }), {
      signal: controller.signal,
    });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('tells the version of the server', async () => {
    const version = { major: '1', minor: '36', gitVersion: 'v1.36.0' };
    const client = createClient({ transport: memoryTransport([{ body: version }]) });
    expect(await serverVersion(client)).toEqual(version);
  });
});
