/**
 * Cost of reading a kubeconfig: our loader against `KubeConfig` of @kubernetes/client-node, each in its own process.
 * Prints one JSON object: resident MB and milliseconds above those of an empty process, medians.
 * Run: `npx tsx bench/kubeconfig-cost.ts`
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROUNDS = 7;
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-cost-'));
const config = join(folder, 'config');

/** Block style, so that a JSON parser is not enough. */
writeFileSync(
  config,
  `apiVersion: v1
kind: Config
current-context: bench
clusters:
- name: c
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: ${Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64')}
users:
- name: u
  user:
    token: abc
contexts:
- name: bench
  context: {cluster: c, user: u}
`,
);

interface Cost {
  readonly residentMB: number;
  readonly ms: number;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Runs inside the repository, so that its packages are resolved. */
function inOwnProcess(code: string): Cost {
  const script = `const began = performance.now(); ${code}; const ms = performance.now() - began;
    global.gc(); console.log(JSON.stringify({ residentMB: process.memoryUsage().rss / 1e6, ms }));`;
  const args = ['--expose-gc', '--input-type=module', '-e', script];
  const runs = Array.from({ length: ROUNDS }, (): Cost => {
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root });
    if (stdout.length === 0) throw new Error(`The measured process failed: ${stderr}`);
    return JSON.parse(stdout.toString());
  });
  return { residentMB: median(runs.map((run) => run.residentMB)), ms: median(runs.map((run) => run.ms)) };
}

async function bundled(name: string, contents: string): Promise<string> {
  const outfile = join(folder, name);
  await build({
    stdin: { contents, resolveDir: join(root, 'packages/runtime/src'), loader: 'ts' },
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    // CommonJS packages call `require`, which ES modules lack.
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    logLevel: 'error',
  });
  return JSON.stringify(outfile);
}

const path = JSON.stringify(config);
const useTheirs = `const k = new KubeConfig(); k.loadFromFile(${path}); await k.applyToHTTPSOptions({})`;
const ours = await bundled('ours.mjs', "export { loadConfig } from './client/config/load.ts';");
const theirs = await bundled('theirs.mjs', "export { KubeConfig } from '@kubernetes/client-node';");

const empty = inOwnProcess('await 0');
const above = ({ residentMB, ms }: Cost): Cost => ({
  residentMB: Number((residentMB - empty.residentMB).toFixed(1)),
  ms: Math.round(ms - empty.ms),
});

try {
  console.log(
    JSON.stringify(
      {
        bench: 'kubeconfig-cost',
        node: process.version,
        emptyProcessMB: Number(empty.residentMB.toFixed(1)),
        ours: above(
          inOwnProcess(
            `const { loadConfig } = await import(${ours}); const c = await loadConfig({ kubeconfig: ${path} });
             await c.tls.current(); await c.credentials.current()`,
          ),
        ),
        clientNodeBundled: above(
          inOwnProcess(`const { KubeConfig } = await import(${theirs}); ${useTheirs}`),
        ),
        clientNode: above(
          inOwnProcess(`const { KubeConfig } = await import('@kubernetes/client-node'); ${useTheirs}`),
        ),
      },
      undefined,
      2,
    ),
  );
} finally {
  rmSync(folder, { recursive: true });
}
