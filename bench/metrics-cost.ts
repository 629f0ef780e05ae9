/**
 * Cost of our metrics registry: memory and time to import it, nanoseconds per use, and milliseconds per scrape. Prints
 * one JSON object. Run: `npx tsx bench/metrics-cost.ts`
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createRegistry } from '../packages/runtime/src/metrics/registry.ts';

const ROUNDS = 5;
const CALLS = 1_000_000;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function nanosecondsPerCall(call: (index: number) => void): number {
  const rounds = Array.from({ length: ROUNDS + 1 }, () => {
    const began = performance.now();
    for (let index = 0; index < CALLS; index++) call(index);
    return ((performance.now() - began) * 1e6) / CALLS;
  });
  // The first round includes compilation.
  return Math.round(median(rounds.slice(1)));
}

/** Runs the code in its own process; returns its final resident memory in MB, and its milliseconds. */
function inOwnProcess(code: string): { rssMB: number; importMs: number } {
  const runs = Array.from({ length: ROUNDS }, () => {
    const script = `const began = performance.now(); ${code}; const importMs = performance.now() - began;
      global.gc(); console.log(JSON.stringify({ rssMB: process.memoryUsage().rss / 1e6, importMs }));`;
    const { stdout, stderr } = spawnSync(process.execPath, [
      '--expose-gc',
      '--input-type=module',
      '-e',
      script,
    ]);
    if (stdout.length === 0) throw new Error(`The measured process failed: ${stderr}`);
    return JSON.parse(stdout.toString()) as { rssMB: number; importMs: number };
  });
  return {
    rssMB: Number(median(runs.map(({ rssMB }) => rssMB)).toFixed(1)),
    importMs: Number(median(runs.map(({ importMs }) => importMs)).toFixed(1)),
  };
}

const registry = createRegistry();
const labels = { controller: 'bench', result: 'success' };
const counter = registry.counter({ name: 'bench_total', help: 'x', labelNames: ['controller', 'result'] });
const gauge = registry.gauge({ name: 'bench_depth', help: 'x', labelNames: ['controller'] });
const histogram = registry.histogram({
  name: 'bench_seconds',
  help: 'x',
  labelNames: ['controller'],
  buckets: Array.from({ length: 40 }, (_, index) => 0.005 * 1.25 ** index),
});

const incNs = nanosecondsPerCall(() => counter.inc(labels));
const setNs = nanosecondsPerCall((index) => gauge.set(index, { controller: 'bench' }));
const observeNs = nanosecondsPerCall((index) =>
  histogram.observe((index % 100) / 10, { controller: 'bench' }),
);

const many = createRegistry();
const manySeries = many.counter({ name: 'many_total', help: 'x', labelNames: ['name', 'result'] });
for (let index = 0; index < 5000; index++) manySeries.inc({ name: `name-${index}`, result: 'ok' }, index);
const renders = Array.from({ length: ROUNDS + 1 }, () => {
  const began = performance.now();
  many.render();
  return performance.now() - began;
});

const entry = fileURLToPath(new URL('../packages/runtime/src/metrics/registry.ts', import.meta.url));
const { outputFiles } = await build({
  entryPoints: [entry],
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
});
const bundle = outputFiles[0]?.text ?? '';
const url = `data:text/javascript;base64,${Buffer.from(bundle).toString('base64')}`;
const empty = inOwnProcess('await 0');
const ours = inOwnProcess(
  `const { createRegistry } = await import(${JSON.stringify(url)}); createRegistry()`,
);

console.log(
  JSON.stringify(
    {
      bench: 'metrics-cost',
      node: process.version,
      counterIncNs: incNs,
      gaugeSetNs: setNs,
      histogramObserveNs: observeNs,
      render5000SeriesMs: Number(median(renders.slice(1)).toFixed(1)),
      bundleBytes: bundle.length,
      importMs: Number((ours.importMs - empty.importMs).toFixed(1)),
      residentMB: Number((ours.rssMB - empty.rssMB).toFixed(1)),
    },
    undefined,
    2,
  ),
);
