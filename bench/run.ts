/**
 * `npm run bench`: runs all measurements and writes the page docs/benchmarks.md. With names: only those, and no page.
 *   --write          with names: writes their sections of the page
 *   --start COMMAND  measures the reloads of another operator; `{kubeconfig}` becomes the path of a kubeconfig
 *   --scale SHARE    share of the full size, for trial runs; writes no page by itself
 * Exits with 1 if a target is missed.
 */
import { parseArgs } from 'node:util';
import type { ControlPlane } from '../test/control-plane/control-plane.ts';
import { startControlPlane } from '../test/control-plane/start.ts';
import type { Bench, Measure, Row } from './measure.ts';
import { contents } from './measures/contents.ts';
import { decode } from './measures/decode.ts';
import { imports } from './measures/imports.ts';
import { latency } from './measures/latency.ts';
import { memory } from './measures/memory.ts';
import { minicluster } from './measures/minicluster.ts';
import { notebookSize } from './measures/notebook-size.ts';
import { notebookStart } from './measures/notebook-start.ts';
import { oneObject } from './measures/one-object.ts';
import { page } from './measures/page.ts';
import { pageReloads } from './measures/page-reloads.ts';
import { podConfigCreate } from './measures/podconfig-create.ts';
import { podConfigProcessor } from './measures/podconfig-processor.ts';
import { podConfigRequests } from './measures/podconfig-requests.ts';
import { processor } from './measures/processor.ts';
import { reconciles } from './measures/reconciles.ts';
import { reloadFanout } from './measures/reload-fanout.ts';
import { reloadLatency } from './measures/reload-latency.ts';
import { reloadMemory } from './measures/reload-memory.ts';
import { reloadRequests } from './measures/reload-requests.ts';
import { reloadScale } from './measures/reload-scale.ts';
import { scale } from './measures/scale.ts';
import { table, writePage } from './page.ts';

const MEASURES: readonly Measure[] = [
  imports,
  reconciles,
  decode,
  latency,
  memory,
  minicluster,
  oneObject,
  contents,
  reloadLatency,
  reloadFanout,
  processor,
  reloadRequests,
  reloadMemory,
  reloadScale,
  scale,
  page,
  pageReloads,
  notebookStart,
  notebookSize,
  podConfigCreate,
  podConfigProcessor,
  podConfigRequests,
];

const { values, positionals } = commandLine();
const bench: Bench = { operator: { start: values.start }, scale: Number(values.scale ?? 1) };
const unknown = positionals.filter((wanted) => !MEASURES.some((measure) => isMeant(measure, wanted)));
if (unknown.length > 0) {
  console.error(
    `There is no measurement ${unknown.join(', ')}; there are ${MEASURES.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}
const chosen = MEASURES.filter(
  (measure) => positionals.length === 0 || positionals.some((wanted) => isMeant(measure, wanted)),
);

/** Started by the first measurement that needs it, and shared. */
let started: Promise<ControlPlane> | undefined;
const cluster = (): Promise<ControlPlane> => (started ??= startControlPlane({ auditLevel: 'None' }));

const sections = new Map<string, string[]>();
let missed = 0;

try {
  for (const measure of chosen) {
    console.log(`${measure.title} …`);
    const rows = await measure.run(cluster, bench);
    missed += rows.filter(({ met }) => met === false).length;
    sections.set(measure.title, [measure.how, '', ...table(rows)]);
    for (const row of rows)
      console.log(`  ${verdict(row)} ${row.what}: ${row.ours}${row.floor ? ` (floor ${row.floor})` : ''}`);
  }
} finally {
  await (await started)?.stop();
}
const isWhole = positionals.length === 0 && bench.scale === 1 && bench.operator.start === undefined;
if (isWhole || values.write) writePage(sections);
process.exitCode = missed > 0 ? 1 : 0;

function commandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { start: { type: 'string' }, scale: { type: 'string' }, write: { type: 'boolean' } },
    });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

/** `reload` selects all measurements whose names begin with `reload-`. */
function isMeant({ name }: Measure, wanted: string): boolean {
  return name === wanted || name.startsWith(`${wanted}-`);
}

function verdict({ met }: Row): string {
  if (met === undefined) return ' ';
  return met ? '✓' : '✗';
}
