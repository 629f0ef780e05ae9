import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  type Client,
  createClient,
  createEventRecorder,
  loadConfig,
  Manager,
  sleep,
  systemClock,
} from '@reloader/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { spawnGuarded } from '../../../test/control-plane/lifeline.ts';
import { useControlPlane } from '../../../test/control-plane/vitest.ts';
import { webapps } from './operator.ts';
import { installCrd, type Stage, World, walkThrough } from './walkthrough.test.support.ts';
import { WebApps } from './webapp.ts';

const cluster = useControlPlane({ workloads: true });
const file = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const OPERATOR = 'system:serviceaccount:webapp-system:webapp-operator';
const WRITES = new Set(['create', 'update', 'patch', 'delete']);

let admin: Client;
let kubeconfig: string;
beforeAll(async () => {
  admin = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  await installCrd(admin);
  await cluster().kubectl(['apply', '-f', file('rbac.yaml')]);
  const token = await cluster().kubectl([
    'create',
    'token',
    'webapp-operator',
    '-n',
    'webapp-system',
    '--duration',
    '1h',
  ]);
  kubeconfig = await cluster().kubeconfigFor({ token: token.trim() });
  await eventually(async () => {
    await admin.list(WebApps);
  });
});
afterAll(() => admin.close());

async function eventually(check: () => Promise<void>, patienceMs = 60_000): Promise<void> {
  const end = systemClock.monotonic() + patienceMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (systemClock.monotonic() > end) throw error;
    }
    await sleep(systemClock, 50);
  }
}

describe('The WebApp operator with the permissions of rbac.yaml', () => {
  let mark: Mark;
  const stop = new AbortController();
  let running: Promise<void>;
  const clients: Client[] = [];

  const stage = (): Stage => ({
    client: admin,
    namespace: 'default',
    eventually,
    rest: () => sleep(systemClock, 1_500),
    async writes() {
      const entries = await cluster().audit.since(mark, { user: OPERATOR });
      mark = await cluster().audit.mark();
      return entries.filter(({ verb, resource }) => WRITES.has(verb) && resource !== 'events').length;
    },
  });

  beforeAll(async () => {
    mark = await cluster().audit.mark();
    const connect = async (): Promise<Client> => {
      const client = createClient({ config: await loadConfig({ kubeconfig }) });
      clients.push(client);
      return client;
    };
    const client = await connect();
    const events = createEventRecorder({ client, component: 'webapp-operator' });
    const manager = new Manager();
    manager.add(events, ...webapps.build({ client, events }).runnables);
    running = manager.run(stop.signal);
  });
  afterAll(async () => {
    stop.abort();
    await running;
    await Promise.all(clients.map((client) => client.close()));
  });

  walkThrough(stage);

  test('the commands of the tutorial work, and kubectl shows what became of the sample', async () => {
    const tutorial = await readFile(file('../../docs/tutorial.md'), 'utf8');
    const [, commands = ''] =
      /And in another terminal:\n\n<!--.*-->\n\n```sh\n([\s\S]*?)```/.exec(tutorial) ?? [];
    const shown = new Map<string, string>();
    for (const command of commands.trim().split('\n')) {
      const [, ...words] = command.match(/'[^']*'|\S+/g) ?? [];
      const args = words.map((word) => word.replaceAll("'", '').replace('examples/webapp/', file('')));
      // A Service that was just deleted takes a moment to be back.
      await eventually(async () => void shown.set(command, await cluster().kubectl(args)));
    }
    expect([...shown.keys()]).toHaveLength(8);
    expect(shown.get('kubectl get webapps')).toMatch(/hello\s+Ready\s+nginx:1.27\s+ReconcileSuccess\s+/);
    const described = shown.get('kubectl describe webapp hello');
    expect(described).toMatch(/Type:\s+IngressReady/);
    await expect(cluster().kubectl(['get', 'webapp', 'hello'])).rejects.toThrow('not found');
    await eventually(async () => {
      const events = await cluster().kubectl(['get', 'events', '--sort-by=.lastTimestamp']);
      expect(events).toMatch(/Normal\s+ReconcileSuccess\s+webapp\/hello\s+Everything is as specified/);
    });
  });

  test('an invalid WebApp is refused by the API server', async () => {
    const spec = { image: 'nginx', managementStates: { Ingress: 'Sometimes' } };
    const input = {
      apiVersion: 'example.com/v1',
      kind: 'WebApp',
      metadata: { name: 'bad', namespace: 'default' },
      spec,
    };
    await expect(cluster().kubectl(['apply', '-f', '-'], { input })).rejects.toThrow(
      'Unsupported value: "Sometimes"',
    );
  });
});

/** One replica as a separate process with its own account, so that the audit log tells replicas apart. */
class Replica {
  readonly user: string;
  readonly process: ChildProcess;
  readonly exit: Promise<number | null>;

  constructor(name: string, config: string) {
    this.user = `system:serviceaccount:webapp-system:${name}`;
    const args = ['--conditions=@reloader/source', '--import', 'tsx', file('src/main.ts')];
    const env = {
      ...process.env,
      KUBECONFIG: config,
      POD_NAMESPACE: 'webapp-system',
      HTTP_ADDRESS: '127.0.0.1:0',
    };
    this.process = spawnGuarded(process.execPath, args, { env, output: 'ignore' });
    this.exit = once(this.process, 'exit').then(([code]) => code as number | null);
  }

  /** Asks the audit log what this replica wrote, without the Lease and Events. */
  async writes(since: Mark): Promise<number[]> {
    const entries = await cluster().audit.since(since, { user: this.user });
    return entries
      .filter(({ verb, resource }) => WRITES.has(verb) && resource !== 'leases' && resource !== 'events')
      .map(({ received }) => new Date(received).getTime());
  }
}

type Mark = Awaited<ReturnType<ReturnType<typeof cluster>['audit']['mark']>>;

describe('Two replicas', () => {
  const replicas: Replica[] = [];
  afterEach(async () => {
    for (const { process: child } of replicas.splice(0)) child.kill('SIGKILL');
    await cluster().kubectl([
      'delete',
      'lease',
      'webapp-operator',
      '-n',
      'webapp-system',
      '--ignore-not-found',
    ]);
  });

  async function startReplica(name: string): Promise<Replica> {
    const kubectl = (args: string[]) => cluster().kubectl(args);
    await kubectl(['create', 'serviceaccount', name, '-n', 'webapp-system']);
    const account = `--serviceaccount=webapp-system:${name}`;
    await kubectl(['create', 'clusterrolebinding', name, '--clusterrole=webapp-operator', account]);
    const lease = ['--role=webapp-operator-lease', '-n', 'webapp-system'];
    await kubectl(['create', 'rolebinding', name, ...lease, account]);
    const token = await kubectl(['create', 'token', name, '-n', 'webapp-system', '--duration', '1h']);
    const replica = new Replica(name, await cluster().kubeconfigFor({ token: token.trim() }));
    replicas.push(replica);
    return replica;
  }

  /** Keeps the leader busy. */
  async function keepBusy(world: World, isOver: () => boolean): Promise<void> {
    for (let i = 0; !isOver(); i++) {
      await world.change((spec) => {
        spec.config = { NUMBER: String(i) };
      });
      await sleep(systemClock, 100);
    }
  }

  test.each<[NodeJS.Signals, number | null]>([
    ['SIGTERM', 0],
    ['SIGKILL', null],
    ['SIGSTOP', 1],
  ])(
    'when the leader gets %s, the other goes on, and they never write at the same time',
    async (signal, code) => {
      const name = signal.toLowerCase();
      const world = new World({ ...stageless(), client: admin }, name);
      const mark = await cluster().audit.mark();
      const first = await startReplica(`${name}-1`);
      await eventually(async () =>
        expect(await cluster().audit.count({ user: first.user, resource: 'leases' }, mark)).toBeGreaterThan(
          1,
        ),
      );
      await world.apply();
      const second = await startReplica(`${name}-2`);
      await eventually(async () =>
        expect(await cluster().audit.count({ user: second.user, resource: 'leases' }, mark)).toBeGreaterThan(
          0,
        ),
      );
      await eventually(async () => expect((await first.writes(mark)).length).toBeGreaterThan(0));
      let isDone = false;
      const calm = systemClock.monotonic() + 1_000;
      let busy = keepBusy(world, () => isDone || systemClock.monotonic() > calm);
      // A half-sent write is completed when its stopped process resumes, and no fence can prevent that. So the
      // process is stopped while idle, and finds work when it resumes.
      if (signal === 'SIGSTOP') await busy.then(() => sleep(systemClock, 500));
      else await sleep(systemClock, 900);

      const killed = systemClock.monotonic();
      first.process.kill(signal);
      busy = busy.then(() => keepBusy(world, () => isDone));
      await eventually(async () => expect((await second.writes(mark)).length).toBeGreaterThan(0));
      const failover = Math.round(systemClock.monotonic() - killed);
      first.process.kill('SIGCONT');
      expect(await first.exit).toBe(code);
      await sleep(systemClock, 1_000);
      isDone = true;
      await busy;

      const [before, after] = [await first.writes(mark), await second.writes(mark)];
      const overlapping = before.filter((time) => time >= (after[0] ?? Infinity)).length;
      process.stdout.write(
        `${signal}: failover ${failover} ms, ${before.length} and ${after.length} writes, ${overlapping} overlapping\n`,
      );
      expect(overlapping).toBe(0);
      expect(failover).toBeLessThan(signal === 'SIGTERM' ? 15_000 : 30_000);
    },
    120_000,
  );
});

/** For a world that needs no operator of this process. */
function stageless(): Omit<Stage, 'client'> {
  return { namespace: 'default', eventually, rest: async () => {}, writes: async () => 0 };
}
