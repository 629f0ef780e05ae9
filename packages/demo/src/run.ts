/**
 * `npm start`: the operator on a cluster inside this process, with a few applications in it. On a terminal a live table
 * shows them; in a pipe, each event is one line. With `--kubeconfig FILE` it runs on that cluster instead and creates
 * nothing there.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMinicluster } from '@reloader/minicluster';
import { applyCrds, openWhenServed, parseSettings, runOperator, UsageError } from '@reloader/operator/embed';
import {
  type Client,
  createClient,
  createLogger,
  type KubernetesObject,
  kinds,
  loadConfig,
  sleep,
  systemClock,
} from '@reloader/runtime';
import { showLive } from './live.ts';
import { narrate } from './narrate.ts';
import { freePort, OPERATOR_SERVICE, operatorServiceProxy } from './operator-service.ts';
import type { Scene } from './picture.ts';
import { Screen } from './screen.ts';
import { NEXT, openShop, STEPS } from './shop.ts';

export const DEMO_HELP = `Runs the operator on a cluster inside this process, and changes a few things so that there is something to see.

  npm start                               on a cluster inside this process
  npm start -- --port 6443                which listens there
  npm start -- --open                     and opens the page in the browser
  npm start -- --kubeconfig FILE [flags]  on that cluster, with any flag of the operator

On a terminal a table is kept up to date; in a pipe, or with --plain, each thing that happens is a line.
NO_COLOR=1 takes the colours away.`;

const FIRST_CHANGE_MS = 5_000;
const BETWEEN_CHANGES_MS = 9_000;
/** Slow enough that the user sees the pods roll, one after the other. */
const POD_BEHAVIOUR = { startMs: 900, readyMs: 700, stopMs: 300 };

/** Resolves with the exit code; throws `UsageError`. */
export async function runDemo(argv: readonly string[], signal: AbortSignal): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(`${DEMO_HELP}\n`);
    return 0;
  }
  const { port, rest } = takePort(argv.filter((word) => word !== '--plain' && word !== '--open'));
  const foreign = rest.some((word) => word === '--kubeconfig' || word.startsWith('--kubeconfig='));
  if (foreign) {
    const settings = parseSettings(rest, process.env);
    await runOperator(settings, { logger: createLogger({ level: 'info', format: 'text' }), signal });
    return 0;
  }
  const live = process.stdout.isTTY === true && process.env.TERM !== 'dumb' && !argv.includes('--plain');
  await onOwnCluster({ port, flags: rest, live, opens: argv.includes('--open') }, signal);
  return 0;
}

/** `--port N` is a flag of the demo; everything else is a flag of the operator. */
function takePort(argv: readonly string[]): { port: number; rest: string[] } {
  const at = argv.findIndex((word) => word === '--port' || word.startsWith('--port='));
  if (at < 0) return { port: 0, rest: [...argv] };
  const inline = argv[at]?.split('=')[1];
  const text = inline ?? argv[at + 1] ?? '';
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new UsageError(`--port ${text} is no port number`);
  }
  return {
    port: Number(text),
    rest: [...argv.slice(0, at), ...argv.slice(at + (inline === undefined ? 2 : 1))],
  };
}

interface OwnCluster {
  readonly port: number;
  readonly flags: readonly string[];
  readonly live: boolean;
  readonly opens: boolean;
}

async function onOwnCluster({ port, flags, live, opens }: OwnCluster, asked: AbortSignal): Promise<void> {
  // When the operator ends, the rest ends too: a failed operator must not leave a table that waits for it.
  const failed = new AbortController();
  const signal = AbortSignal.any([asked, failed.signal]);
  const directory = await mkdtemp(join(tmpdir(), 'reloader-demo-'));
  const logger = createLogger({ level: 'warn', format: 'text' });
  const operatorPort = await freePort();
  const page = `http://127.0.0.1:${operatorPort}/ui/`;
  const cluster = await startMinicluster({
    listen: { port },
    middleware: [operatorServiceProxy(() => operatorPort)],
  }).catch((error: NodeJS.ErrnoException) => portTaken(error, port, directory));
  const tour = { begun: 0, isOver: false };
  const say = teller(live);
  try {
    const kubeconfig = join(directory, 'kubeconfig');
    await cluster.writeKubeconfig(kubeconfig);
    const client = createClient({ config: await loadConfig({ kubeconfig }), logger });
    try {
      await applyCrds(client);
      await openShop(client);
      await openDoor(client);
      cluster.workloads?.script({ behaviour: POD_BEHAVIOUR });
      process.stdout.write(
        `Watch it in the browser: ${page}\nA cluster runs inside this process, and the operator on it. Ctrl-C ends both.\nIn another terminal: export KUBECONFIG=${kubeconfig}\n\n`,
      );
      const address = `--http-bind-address=127.0.0.1:${operatorPort}`;
      const settings = parseSettings(['--kubeconfig', kubeconfig, address, ...flags], {
        POD_NAMESPACE: OPERATOR_SERVICE.namespace,
      });
      const stopped = runOperator(settings, { logger, signal });
      if (opens) openWhenServed(page, signal).catch(() => undefined);
      const next = nextThings(page, kubeconfig);
      const shown = live
        ? showLive(
            {
              client,
              clock: systemClock,
              screen: new Screen(process.stdout),
              port: operatorPort,
              colours: !process.env.NO_COLOR,
              tour: () => ({
                steps: STEPS.map(({ say: text }) => text),
                begun: tour.begun,
                next: tour.isOver ? next : undefined,
              }),
            },
            signal,
          )
        : narrate(client, say, signal);
      goOnTour(client, say, { tour, next }, signal).catch(() => undefined);
      await stopped.finally(() => failed.abort(new Error('The operator ended')));
      await shown;
    } finally {
      await client.close();
    }
  } finally {
    await cluster.stop();
    await rm(directory, { recursive: true, force: true });
  }
  process.stdout.write('Ended\n');
}

/** Creates the Service by which the commands find the operator. */
async function openDoor(client: Client): Promise<void> {
  await client.create(kinds.Namespace, { metadata: { name: OPERATOR_SERVICE.namespace } });
  await client.create(kinds.Service, {
    metadata: { ...OPERATOR_SERVICE, labels: { 'app.kubernetes.io/name': 'reloader' } },
    spec: { ports: [{ name: 'http', port: 9090 }] },
  } as KubernetesObject);
}

/** Prints lines in a pipe; on a terminal the frames show the same. */
function teller(live: boolean): (text: string) => void {
  const began = systemClock.monotonic();
  return (text) => {
    const seconds = ((systemClock.monotonic() - began) / 1000).toFixed(1).padStart(6);
    if (!live) process.stdout.write(`${seconds}s  ${text}\n`);
  };
}

interface Tour {
  begun: number;
  isOver: boolean;
}

async function goOnTour(
  client: Client,
  say: (text: string) => void,
  { tour, next }: { tour: Tour; next: NextThings },
  signal: AbortSignal,
): Promise<void> {
  let pause = FIRST_CHANGE_MS;
  for (const { say: text, make } of STEPS) {
    await sleep(systemClock, pause, signal);
    pause = BETWEEN_CHANGES_MS;
    tour.begun += 1;
    say('');
    say(`${tour.begun}. ${text}`);
    await make(client);
  }
  await sleep(systemClock, BETWEEN_CHANGES_MS, signal);
  tour.begun += 1;
  tour.isOver = true;
  say('');
  say(`That was the tour; cluster and operator go on until Ctrl-C. ${next.title}:`);
  for (const command of next.commands) say(`  ${command}`);
}

type NextThings = NonNullable<Scene['next']>;

/** Repeats the addresses: on a terminal of 24 rows the first lines have scrolled away by then. */
export function nextThings(page: string, kubeconfig: string): NextThings {
  return {
    title: `Three things to try next in another terminal, or see ${page}`,
    commands: [`export KUBECONFIG=${kubeconfig}`, ...NEXT],
  };
}

async function portTaken(error: NodeJS.ErrnoException, port: number, directory: string): Promise<never> {
  await rm(directory, { recursive: true, force: true });
  if (error.code !== 'EADDRINUSE') throw error;
  throw new UsageError(
    `--port ${port}: another program listens there. Choose another one, or leave --port out`,
  );
}
