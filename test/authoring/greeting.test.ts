/**
 * An author's first steps: the packed packages in an empty folder, the strictest compiler settings, a program that
 * runs and that ends. The packages are those that `npm ci` or `npm run build` made.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, findCondition, kinds } from '@reloader/runtime';
import { installCrd } from '@reloader/runtime/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Greeting } from '../../examples/greeting/src/operator.ts';
import { createProject, filesOf, type Project } from './project.ts';

// Starting a compiler and real processes takes as long as the machine needs.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const LIST = `import { createClient, kinds, loadConfig } from '@reloader/runtime';
const client = createClient({ config: await loadConfig() });
console.log((await client.list(kinds.Namespace)).items.length > 0);
`;

/** Code that authors wrote at first, and that did not compile then. */
const FIRST_TRIES = `import {
  cacheRunnable, type Client, type Clock, createController, createEventRecorder, type EventWriter, forKind, InformerCache,
  kinds, type Logger, Manager, type ObjectOf, type Reconciler, setCondition, withFinalizer,
} from '@reloader/runtime';
import { Greeting } from './operator.ts';

export function assembled(client: Client, clock: Clock | undefined, logger: Logger | undefined, signal: AbortSignal | undefined) {
  const cache = new InformerCache({ client, clock, logger });
  const informer = cache.informer({ type: Greeting, labelSelector: undefined });
  const events: EventWriter = createEventRecorder({ client, component: 'author', clock });
  const reconcile: Reconciler = (key, context) =>
    withFinalizer<ObjectOf<typeof Greeting>>(key, {
      client, type: Greeting, finalizer: 'example.com/author', signal: context.signal,
      reconcile: async (greeting) => {
        const update = { type: 'Seen', status: 'True', reason: 'Seen', observedGeneration: greeting.metadata.generation } as const;
        setCondition(greeting.status?.conditions, update, context.clock.now());
        await client.get(kinds.Secret, key, { signal });
      },
      cleanup: async () => void (await client.delete(kinds.ConfigMap, key, { signal })),
    });
  const controller = createController({ name: 'author', sources: [forKind(informer)], reconcile, clock, logger });
  const manager = new Manager({ clock, logger, clients: [client] });
  manager.add(events, cacheRunnable(cache, { clock }), controller);
  return manager;
}
`;

let cluster: Minicluster;
let client: Client;
let project: Project;
let kubeconfig: string;
let complaint: unknown;

beforeAll(async () => {
  cluster = await startMinicluster({ listen: {} });
  client = createClient({ transport: cluster.transport() });
  await installCrd(client, Greeting.crd());
  const sources = filesOf('examples/greeting/src', 'src', (name) => !name.includes('.test.'));
  project = createProject({ ...sources, 'src/list.ts': LIST, 'src/first-tries.ts': FIRST_TRIES });
  try {
    project.compile();
  } catch (error) {
    complaint = error;
  }
  kubeconfig = join(project.folder, 'kubeconfig');
  await cluster.writeKubeconfig(kubeconfig);
});
afterAll(async () => {
  project?.remove();
  await client?.close();
  await cluster?.stop();
});

function start(
  program: string,
  more: Record<string, string> = {},
): { child: ChildProcess; exit: Promise<number | null>; output: () => string } {
  const child = spawn(process.execPath, [`dist/${program}.js`], {
    cwd: project.folder,
    env: { ...process.env, KUBECONFIG: kubeconfig, HTTP_ADDRESS: '127.0.0.1:0', ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      text += String(data);
    });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return { child, exit, output: () => text };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('The Greeting operator, from packed packages in an empty folder', () => {
  test('takes an author at most 40 lines', () => {
    const sources = filesOf('examples/greeting/src', 'src', (name) => !name.includes('.test.'));
    const lines = Object.values(sources).join('\n').split('\n');
    expect(lines.filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(40);
  });

  test('compiles under strict and exactOptionalPropertyTypes', () => {
    expect(complaint).toBeUndefined();
  });

  test('a program that lists and ends, ends', async () => {
    const { exit, output } = start('list');
    expect(await exit, output()).toBe(0);
    expect(output()).toBe('true\n');
  });

  test('greets, and is gone with exit code 0 within 2 s of SIGTERM', async () => {
    const key = { namespace: 'default', name: 'ada' };
    await client.create(Greeting, { metadata: key, spec: { who: 'Ada' } });
    const [port, probes] = [await freePort(), await freePort()];
    const { child, exit, output } = start('main', {
      HTTP_ADDRESS: `127.0.0.1:${probes}`,
      INSPECTION_ADDRESS: `127.0.0.1:${port}`,
    });
    const watch = await client.watch(Greeting, {
      fieldSelector: 'metadata.name=ada',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
    for await (const event of watch) {
      if (event.type === 'BOOKMARK') continue;
      if (findCondition(event.object.status?.conditions, 'Ready')?.status === 'True') break;
    }
    expect((await client.get(kinds.ConfigMap, key)).data, output()).toEqual({ text: 'Hello Ada' });
    const queues = (await (await fetch(`http://127.0.0.1:${port}/debug/queues`)).json()) as object;
    expect(Object.keys(queues)).toEqual(['greeting']);
    expect((await fetch(`http://127.0.0.1:${probes}/livez?verbose`)).status).toBe(200);
    const metrics = await (await fetch(`http://127.0.0.1:${probes}/metrics`)).text();
    expect(metrics).toContain('controller_runtime_reconcile_total{controller="greeting",result="');
    expect(metrics).toContain('nodejs_eventloop_lag_seconds');
    const asked = performance.now();
    child.kill('SIGTERM');
    expect(await exit, output()).toBe(0);
    expect(performance.now() - asked, output()).toBeLessThan(2_000);
    expect(output()).toContain('Stopped');
  });
});
