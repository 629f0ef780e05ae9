/**
 * Runs the suites on several versions of Kubernetes, and the fast tests on several of Node, and writes the results into
 * docs/proof.md. Exits with 1 if anything failed.
 *
 *   npm run test:versions                                     everything
 *   npm run test:versions -- --kubernetes 1.30 --suites kills  one suite on one of them
 *   npm run test:versions -- --node 22,26                      fast tests on two lines of Node
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { kubernetesModule, moduleDirectory, requiredVersion } from '../control-plane/modules.ts';
import { choose, NEWEST, NODE, SUITES } from './plan.ts';
import { type Row, withRows } from './table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'docs/proof.md');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/** Runs Vitest with a Node and returns its counts. A file that does not load is a failure, and so is a skipped test. */
function vitest(
  node: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Omit<Row, 'version' | 'what'> {
  const folder = mkdtempSync(join(tmpdir(), 'versions-'));
  const report = join(folder, 'report.json');
  const began = performance.now();
  try {
    const { status } = spawnSync(node, [VITEST, 'run', ...args], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, ...env, TEST_REPORT: report },
    });
    const counted = countsOf(report);
    const failed = counted.failed === 0 && status !== 0 ? 1 : counted.failed;
    const seconds = (performance.now() - began) / 1000;
    return { passed: counted.passed, failed, seconds, date: new Date().toISOString().slice(0, 10) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsOf(file: string): { passed: number; failed: number } {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return { passed: 0, failed: 1 };
  }
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numPendingTests + broken.length,
  };
}

function onKubernetes(chosen: string, suites: readonly string[]): Row {
  const env = { RELOADER_TEST_KUBERNETES: chosen === NEWEST ? '' : chosen };
  const goMod = readFileSync(join(moduleDirectory(kubernetesModule(env)), 'go.mod'), 'utf8');
  const kubernetes = requiredVersion(goMod, 'k8s.io/kubernetes').slice(1);
  const etcd = requiredVersion(goMod, 'go.etcd.io/etcd/server/v3').slice(1);
  const paths = suites.flatMap((suite) => SUITES[suite] ?? []);
  const counts = vitest(process.execPath, ['--config', 'vitest.cluster.config.ts', ...paths], env);
  return { version: `Kubernetes ${kubernetes}, etcd ${etcd}`, what: suites.join(', '), ...counts };
}

function onNode(line: string): Row {
  const node = installed(NODE[line] ?? '');
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
  const path = `${join(node, '..')}:${process.env.PATH}`;
  const counts = vitest(node, ['--config', 'vitest.config.ts'], { PATH: path });
  return { version: `Node ${version}`, what: 'fast tests', ...counts };
}

/** The path of that Node, installed from the npm registry unless it is the one that runs this. */
function installed(version: string): string {
  if (process.versions.node === version) return process.execPath;
  const { platform, arch } = process;
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const home = join(cache, `reloader-node-${version}`);
  const name = `node-${platform}-${arch}`;
  const args = [
    'install',
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--prefix',
    home,
    `${name}@${version}`,
  ];
  execFileSync('npm', args, { stdio: 'inherit' });
  return join(home, 'node_modules', name, 'bin', 'node');
}

const { values } = parseArgs({
  options: { kubernetes: { type: 'string' }, node: { type: 'string' }, suites: { type: 'string' } },
});
const choice = choose(values);
const rows: Row[] = [];
const note = (row: Row): void => {
  rows.push(row);
  // After each run, so that an interrupted one keeps the results so far.
  writeFileSync(PAGE, withRows(readFileSync(PAGE, 'utf8'), rows));
};
for (const version of choice.kubernetes) note(onKubernetes(version, choice.suites));
for (const line of choice.node) note(onNode(line));
for (const { version, what, passed, failed, seconds } of rows)
  console.info(`${version}: ${what}: ${passed} passed, ${failed} failed, ${Math.round(seconds)} s`);
process.exitCode = rows.some(({ failed }) => failed > 0) ? 1 : 0;
