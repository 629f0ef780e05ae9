/** The table in docs/proof.md: which tests were run on which version. Pure. */

export interface Row {
  /** `Kubernetes 1.30.14, etcd 3.5.10`: a later run on the same version replaces the row. */
  readonly version: string;
  readonly what: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** YYYY-MM-DD. */
  readonly date: string;
}

const BEGIN = '<!-- written by npm run test:versions -->';
const END = '<!-- end -->';
const HEAD = ['version', 'what was run', 'result', 'took', 'when'];

/** The page with these rows in its table, in place of earlier rows of the same version. */
export function withRows(page: string, rows: readonly Row[]): string {
  const [before, rest] = halves(page, BEGIN);
  const [table, after] = halves(rest, END);
  const cells = new Map(tableRows(table).map((line) => [keyOf(line), line]));
  for (const row of rows) cells.set(row.version, cellsOf(row));
  const sorted = [...cells].sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
  const lines = aligned([HEAD, ...sorted.map(([, line]) => line)]);
  return `${before}${BEGIN}\n\n${lines.join('\n')}\n\n${END}${after}`;
}

function cellsOf({ version, what, passed, failed, seconds, date }: Row): string[] {
  const result = failed === 0 ? `${passed} passed` : `${passed} passed, **${failed} failed**`;
  const took = seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
  return [version, what, result, took, date];
}

function tableRows(table: string): string[][] {
  return table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const keyOf = (cells: readonly string[]): string => cells[0] ?? '';

/** Aligned as the Markdown formatter writes it. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const padded = rows.map((row) => line(widths.map((width, column) => (row[column] ?? '').padEnd(width))));
  return [padded[0] ?? '', line(widths.map((width) => '-'.repeat(width))), ...padded.slice(1)];
}

function halves(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`docs/proof.md has no line ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
