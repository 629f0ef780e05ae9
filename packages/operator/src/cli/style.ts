/** Colours and tables. Colours only where somebody sees them: never in a pipe, never with NO_COLOR. */

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

export function createStyle(colours: boolean): Style {
  const paint =
    (code: number) =>
    (text: string): string =>
      colours && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { bold: paint(1), dim: paint(2), good: paint(32), warn: paint(33), bad: paint(31) };
}

const GAP = '   ';

/** Columns as wide as their content; what does not fit into `columns` is cut in the last column. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  columns?: number,
): string {
  const widths = head.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string => {
    const text = cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join(GAP)
      .trimEnd();
    return columns !== undefined && text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
  };
  return [style.bold(line(head)), ...rows.map(line)].map((each) => `${each}\n`).join('');
}

/** `12s`, `5m`, `3h`, `2d`: as kubectl tells ages. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
