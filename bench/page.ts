/** docs/benchmarks.md: a head, and one section per measurement, in the order in which they were first written. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Row } from './measure.ts';

const PAGE = new URL('../docs/benchmarks.md', import.meta.url);
const SECTION = '\n## ';

/** Replaces the given sections and keeps the others. */
export function writePage(sections: ReadonlyMap<string, readonly string[]>): void {
  const [, ...written] = (existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '').split(SECTION);
  const all = new Map(
    written.map((section): [string, readonly string[]] => {
      const [title = '', ...lines] = section.trim().split('\n');
      return [title, lines.slice(1)];
    }),
  );
  for (const [title, lines] of sections) all.set(title, lines);
  const body = [...all].flatMap(([title, lines]) => ['', `## ${title}`, '', ...lines]);
  writeFileSync(PAGE, `${[...head(), ...body].join('\n')}\n`);
}

function head(): string[] {
  return [
    '# Benchmarks',
    '',
    'Written by `npm run bench`; the measurements are in [`bench/`](../bench/README.md). Every floor is a bare program',
    'measured in the same run, on the same machine.',
    '',
    `Node ${process.version}, ${cpus().length} cores.`,
  ];
}

/** Columns have equal width; a column that no row uses is left out. */
export function table(rows: readonly Row[]): string[] {
  const columns = [
    ['what', (row: Row) => row.what],
    ['ours', (row: Row) => row.ours],
    ['floor', (row: Row) => row.floor],
    ['others', (row: Row) => row.others],
    ['target', (row: Row) => row.target],
    ['met', ({ met }: Row) => (met === undefined ? undefined : met ? 'yes' : '**no**')],
  ] as const;
  const used = columns.filter(([, of]) => rows.some((row) => of(row) !== undefined));
  const cells = [
    used.map(([name]): string => name),
    ...rows.map((row) => used.map(([, of]) => of(row) ?? '')),
  ];
  const widths = used.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [names = [], ...values] = cells;
  return [line(names), line(widths.map((width) => '-'.repeat(width))), ...values.map(line)];
}
