/**
 * `npm start`: the operator on a cluster inside this process, with a few applications in it, and a line for everything
 * that happens. With `--kubeconfig FILE` it runs on that cluster instead and creates nothing there.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMinicluster } from '@reloader/minicluster';
import {
  type Client,
  createClient,
  createLogger,
  loadConfig,
  onTermination,
  sleep,
  systemClock,
} from '@reloader/runtime';
import { applyCrds } from '../crds/apply.ts';
import { runOperator } from '../operator.ts';
import { parseSettings } from '../settings/parse.ts';
import { UsageError } from '../settings/usage-error.ts';
import { narrate } from './narrate.ts';
import { CHANGES, openShop } from './shop.ts';

const HELP = `Runs the operator on a cluster inside this process, and changes a few things so that there is something to see.

  npm start                               on a cluster inside this process
  npm start -- --port 6443                which listens there
  npm start -- --kubeconfig FILE [flags]  on that cluster, with any flag of the operator`;

const BETWEEN_CHANGES_MS = 8_000;

const began = systemClock.monotonic();
const say = (text: string): void => {
  const seconds = ((systemClock.monotonic() - began) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${seconds}s  ${text}\n`);
};

async function changeThings(client: Client, signal: AbortSignal): Promise<void> {
  for (const { say: text, make } of CHANGES) {
    await sleep(systemClock, BETWEEN_CHANGES_MS, signal);
    say('');
    say(text);
    await make(client);
  }
  await sleep(systemClock, BETWEEN_CHANGES_MS, signal);
  say('');
  say('That was the tour. The cluster and the operator go on until Ctrl-C: change something yourself');
}

/** `--port N` is ours; everything else is a flag of the operator. */
function takePort(argv: readonly string[]): { port: number; rest: string[] } {
  const at = argv.findIndex((word) => word === '--port' || word.startsWith('--port='));
  if (at < 0) return { port: 0, rest: [...argv] };
  const inline = argv[at]?.split('=')[1];
  const text = inline ?? argv[at + 1] ?? '';
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new UsageError(`--port ${text} is no port number\n\n${HELP}`);
  }
  return {
    port: Number(text),
    rest: [...argv.slice(0, at), ...argv.slice(at + (inline === undefined ? 2 : 1))],
  };
}

async function onOwnCluster(port: number, flags: string[], signal: AbortSignal): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'reloader-demo-'));
  const logger = createLogger({ level: 'warn', format: 'text' });
  const cluster = await startMinicluster({ listen: { port } });
  try {
    const kubeconfig = join(directory, 'kubeconfig');
    await cluster.writeKubeconfig(kubeconfig);
    const client = createClient({ config: await loadConfig({ kubeconfig }), logger });
    try {
      await applyCrds(client);
      await openShop(client);
      say(`A cluster runs inside this process, at ${cluster.url}`);
      say(`Look at it with: kubectl --kubeconfig ${kubeconfig} get deployments,statefulsets,rlc -A`);
      // Any free port: another program may have the usual one.
      const settings = parseSettings(
        ['--kubeconfig', kubeconfig, '--http-bind-address=127.0.0.1:0', ...flags],
        {},
      );
      const stopped = runOperator(settings, { logger, signal });
      say('The operator runs. Ctrl-C ends it');
      const narrated = narrate(client, say, signal);
      changeThings(client, signal).catch(() => undefined);
      await stopped;
      await narrated;
    } finally {
      await client.close();
    }
  } finally {
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  }
  say('Ended');
}

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) return void process.stdout.write(`${HELP}\n`);
  const { port, rest } = takePort(argv);
  const { signal } = onTermination({ logger: createLogger({ level: 'warn', format: 'text' }) });
  const foreign = rest.some((word) => word === '--kubeconfig' || word.startsWith('--kubeconfig='));
  if (!foreign) return onOwnCluster(port, rest, signal);
  const settings = parseSettings(rest, process.env);
  await runOperator(settings, { logger: createLogger({ level: 'info', format: 'text' }), signal });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
