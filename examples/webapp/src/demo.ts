/**
 * `npm start`: the operator on a cluster inside this process, with an app in it, and a line for everything that
 * happens. With `--kubeconfig FILE` it runs on that cluster instead and creates nothing but the CRD.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import {
  type Client,
  createClient,
  createEventRecorder,
  createInformer,
  createLogger,
  kinds,
  loadConfig,
  Manager,
  onTermination,
  sleep,
  systemClock,
} from '@reloader/runtime';
import { createOperator } from './operator.ts';
import { WebApps } from './webapp.ts';

const HELP = `Runs the example operator on an embedded cluster.

  npm start                          on a cluster inside this process
  npm start -- --kubeconfig FILE     on that cluster; only the CRD is created there
  npm start -- --port 6443           the embedded cluster listens there`;

const began = systemClock.monotonic();
const say = (text: string): void => {
  const seconds = ((systemClock.monotonic() - began) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${seconds}s  ${text}\n`);
};

/** Sends a manifest of this folder as it is: server-side apply reads YAML. */
async function apply(client: Client, file: string, path: string): Promise<void> {
  await client.raw({
    method: 'PATCH',
    path: `${path}?fieldManager=demo&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: await readFile(new URL(`../${file}`, import.meta.url), 'utf8'),
  });
}

/** One line whenever a WebApp or its Deployment looks different from before. */
function narrate(client: Client, signal: AbortSignal): Promise<unknown>[] {
  const last = new Map<string, string>();
  const tell = (subject: string, text: string): void => {
    if (last.get(subject) === text) return;
    last.set(subject, text);
    say(`${subject.padEnd(24)} ${text}`);
  };
  const apps = createInformer({ client, type: WebApps });
  apps.addHandler(({ type, object: { metadata, status } }) => {
    const ready = status?.conditions?.find((condition) => condition.type === 'Ready');
    const text = ready ? `${status?.phase}: ${ready.message || ready.reason}` : 'new';
    tell(`WebApp ${metadata.name}`, type === 'delete' ? 'deleted' : text);
  });
  const deployments = createInformer({ client, type: kinds.Deployment });
  deployments.addHandler(({ type, object }) => {
    const {
      replicas = 0,
      updatedReplicas = 0,
      availableReplicas = 0,
    } = (object.status ?? {}) as Record<string, number>;
    const text = `${availableReplicas} available, ${updatedReplicas} up to date, ${replicas} in all`;
    tell(`Deployment ${object.metadata.name}`, type === 'delete' ? 'deleted' : text);
  });
  return [apps.run(signal), deployments.run(signal)];
}

/** Gives the app another greeting after a while, so that there is something to see. */
async function changeSomething(client: Client, signal: AbortSignal): Promise<void> {
  await sleep(systemClock, 4_000, signal);
  say('Changing the greeting of WebApp hello: its pods must be replaced');
  const key = { namespace: 'default', name: 'hello' };
  await client.patch(WebApps, key, {
    type: 'merge',
    body: { spec: { config: { GREETING: 'Good evening' } } },
  });
}

class UsageError extends Error {
  override name = 'UsageError';
}

function readArguments(): { kubeconfig: string | undefined; port: number; help: boolean } {
  const options = {
    kubeconfig: { type: 'string' },
    port: { type: 'string', default: '0' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    const { kubeconfig, port, help } = parseArgs({ options }).values;
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error(`--port ${port} is no port number`);
    return { kubeconfig, port: Number(port), help };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
  }
}

async function main(): Promise<void> {
  const values = readArguments();
  if (values.help) return void process.stdout.write(`${HELP}\n`);
  const logger = createLogger({ level: 'warn', format: 'text' });
  const { signal } = onTermination({ logger });
  const directory = await mkdtemp(join(tmpdir(), 'webapp-demo-'));
  let cluster: Minicluster | undefined;
  let kubeconfig = values.kubeconfig;
  if (kubeconfig === undefined) {
    cluster = await startMinicluster({ listen: { port: values.port } });
    kubeconfig = join(directory, 'kubeconfig');
    await cluster.writeKubeconfig(kubeconfig);
    say(`A cluster runs inside this process, at ${cluster.url}`);
    say(`Look at it with: kubectl --kubeconfig ${kubeconfig} get webapps,deployments,pods`);
  }
  const client = createClient({
    config: await loadConfig({ kubeconfig }),
    logger,
    fieldManager: 'webapp-operator',
  });
  try {
    await apply(
      client,
      'crd.yaml',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/webapps.example.com',
    );
    const events = createEventRecorder({ client, component: 'webapp-operator', logger });
    const manager = new Manager({ logger });
    manager.add(...createOperator({ client, writer: client, events, logger }).runnables);
    say('The operator runs. Ctrl-C ends it');
    const narrated = narrate(client, signal);
    if (cluster) {
      await apply(client, 'sample.yaml', '/apis/example.com/v1/namespaces/default/webapps/hello');
      changeSomething(client, signal).catch(() => undefined);
    }
    await manager.run(signal);
    await Promise.all(narrated);
  } finally {
    await client.close();
    await cluster?.stop();
    await rm(directory, { recursive: true, force: true });
  }
  say('Ended');
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
