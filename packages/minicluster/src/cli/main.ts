/** The `minicluster` command: starts a cluster, prints how to use it, stops with Ctrl-C. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startMinicluster } from '../minicluster.ts';
import { type CommandLine, parseCommandLine, USAGE } from './arguments.ts';

const FAILURE = 1;
const USAGE_ERROR = 2;

async function run(options: CommandLine): Promise<void> {
  const { kubeconfig, port, host, tls, workloads, seed } = options;
  const cluster = await startMinicluster({
    listen: { port, host, tls },
    workloads: workloads && {
      onError: (controller, key, error) => console.error(`${controller} ${key}: ${String(error)}`),
    },
    ...(seed !== undefined && { seed }),
  });
  const stop = (): void => {
    void cluster.stop().then(() => process.exit(0));
  };
  // Installed before the first output: a reader of the output may stop the process at once.
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  if (kubeconfig !== undefined) await cluster.writeKubeconfig(kubeconfig);
  console.log(instructions(`${cluster.url}`, cluster.adminToken, kubeconfig));
}

function instructions(url: string, token: string, kubeconfig: string | undefined): string {
  return `minicluster listens on ${url}\n  ${example(url, token, kubeconfig)}\nCtrl-C ends it; nothing is saved.`;
}

function example(url: string, token: string, kubeconfig: string | undefined): string {
  // kubectl leaves out all credentials of a server without TLS, also those of a kubeconfig.
  if (url.startsWith('http:')) return `curl -H 'Authorization: Bearer ${token}' ${url}/api/v1/namespaces`;
  if (kubeconfig !== undefined) return `kubectl --kubeconfig ${resolve(kubeconfig)} get namespaces`;
  return `kubectl --server ${url} --token ${token} --insecure-skip-tls-verify get namespaces`;
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

const parsed = parseCommandLine(process.argv.slice(2));
if (parsed.action === 'help') console.log(USAGE);
else if (parsed.action === 'version') console.log(version());
else if (parsed.action === 'refuse') {
  console.error(`minicluster: ${parsed.why}\n\n${USAGE}`);
  process.exitCode = USAGE_ERROR;
} else if (parsed.action === 'run') {
  run(parsed.options).catch((error: unknown) => {
    console.error(`minicluster could not start: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(FAILURE);
  });
}
