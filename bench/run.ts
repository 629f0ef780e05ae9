/**
 * `npm run bench`: all measurements, and the page docs/benchmarks.md. With names: only those, and no page.
 * Exits with 1 when a target is missed.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { ControlPlane } from '../test/control-plane/control-plane.ts';
import { startControlPlane } from '../test/control-plane/start.ts';
import type { Measure, Row } from './measure.ts';
import { decode } from './measures/decode.ts';
import { imports } from './measures/imports.ts';
import { latency } from './measures/latency.ts';
import { memory } from './measures/memory.ts';
import { minicluster } from './measures/minicluster.ts';
import { reconciles } from './measures/reconciles.ts';

const MEASURES: readonly Measure[] = [imports, reconciles, decode, latency, memory, minicluster];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !MEASURES.some((measure) => measure.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no measurement ${unknown.join(', ')}; there are ${MEASURES.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}

/** Started by the first measurement that needs it, and shared. */
let started: Promise<ControlPlane> | undefined;
const cluster = (): Promise<ControlPlane> => (started ??= startControlPlane({ auditLevel: 'None' }));

const page: string[] = [
  '# Benchmarks',
  '',
  'Written by `npm run bench`; the measurements are in [`bench/`](../bench/README.md). Every floor is a bare program',
  'measured in the same run, on the same machine.',
  '',
  `Node ${process.version}, ${cpus().length} cores.`,
];
let missed = 0;

try {
  for (const measure of MEASURES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    console.log(`${measure.title} …`);
    const rows = await measure.run(cluster);
    missed += rows.filter(({ met }) => met === false).length;
    page.push('', `## ${measure.title}`, '', measure.how, '', ...table(rows));
    for (const row of rows)
      console.log(`  ${verdict(row)} ${row.what}: ${row.ours}${row.floor ? ` (floor ${row.floor})` : ''}`);
  }
} finally {
  await (await started)?.stop();
}
if (wanted.length === 0)
  writeFileSync(new URL('../docs/benchmarks.md', import.meta.url), `${page.join('\n')}\n`);
process.exitCode = missed > 0 ? 1 : 0;

function verdict({ met }: Row): string {
  if (met === undefined) return ' ';
  return met ? '✓' : '✗';
}

function table(rows: readonly Row[]): string[] {
  const columns = [
    ['what', (row: Row) => row.what],
    ['ours', (row: Row) => row.ours],
    ['floor', (row: Row) => row.floor],
    ['others', (row: Row) => row.others],
    ['target', (row: Row) => row.target],
    ['met', ({ met }: Row) => (met === undefined ? undefined : met ? 'yes' : '**no**')],
  ] as const;
  const used = columns.filter(([, of]) => rows.some((row) => of(row) !== undefined));
  return [
    `| ${used.map(([name]) => name).join(' | ')} |`,
    `|${used.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${used.map(([, of]) => of(row) ?? '').join(' | ')} |`),
  ];
}
