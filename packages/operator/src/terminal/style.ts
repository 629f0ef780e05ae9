/** Colours and tables. Colours only on a terminal: never in a pipe, never with NO_COLOR. */

export type Tone = 'good' | 'warn' | 'bad' | 'dim';

export interface Style extends Readonly<Record<Tone | 'bold', (text: string) => string>> {}

export function createStyle(colours: boolean): Style {
  const paint =
    (code: number) =>
    (text: string): string =>
      colours && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { bold: paint(1), dim: paint(2), good: paint(32), warn: paint(33), bad: paint(31) };
}

/** A text, or one with a tone that sets its colour. */
export type Cell = string | { readonly text: string; readonly tone: Tone };

const GAP = '   ';
/** If the last column has less room than this, or than its longest word, it moves to lines of its own. */
const LEAST_ROOM = 16;
const OWN_LINE = '    ';

/**
 * Columns as wide as their content. With `columns`, the width of a terminal, the last one is wrapped; if there is no
 * room for that, it is placed below the others. Only text that is too long for a line of its own is truncated.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  style: Style,
  columns?: number,
): string {
  const widths = head.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => textOf(row[index]).length)),
  );
  const last = head.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const room = (columns ?? Number.POSITIVE_INFINITY) - before;
  const words = rows.flatMap((row) =>
    textOf(row[last])
      .split(' ')
      .map(({ length }) => length),
  );
  const isBelow =
    columns !== undefined && (widths[last] ?? 0) > room && room < Math.max(LEAST_ROOM, ...words);
  const indent = isBelow ? OWN_LINE : ' '.repeat(before);
  const width = isBelow ? columns - indent.length : room;
  const line = (cells: readonly Cell[], paint = (text: string) => text): string => {
    const start = cells.slice(0, last).map((cell, index) => painted(cell, style, widths[index]) + GAP);
    const end = cells[last] ?? '';
    const parts = (Number.isFinite(width) ? broken(textOf(end), width) : [textOf(end)]).map((text) =>
      painted(typeof end === 'string' ? text : { ...end, text }, style),
    );
    const [first = '', ...rest] = isBelow ? ['', ...parts] : parts;
    return [start.join('') + first, ...rest.filter((each) => each !== '').map((each) => indent + each)]
      .map((each) => `${paint(cutOff(each.trimEnd(), columns))}\n`)
      .join('');
  };
  return line(head, style.bold) + rows.map((row) => line(row)).join('');
}

function textOf(cell: Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '');
}

function painted(cell: Cell, style: Style, width = 0): string {
  const text = textOf(cell);
  const padding = ' '.repeat(Math.max(0, width - text.length));
  return (typeof cell === 'object' ? style[cell.tone](text) : text) + padding;
}

/** Wraps at spaces; a word that is longer than a line stays whole. */
function broken(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && visible(line).length + 1 + visible(word).length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const RESET = '\u001b[0m';
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const PAINT = /\u001b\[\d+m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
const BEGINNING = /^(?:\u001b\[\d+m)* */;

function visible(text: string): string {
  return text.replace(PAINT, '');
}

function cutOff(text: string, columns: number | undefined): string {
  return columns !== undefined && visible(text).length > columns
    ? `${visible(text).slice(0, columns - 1)}…`
    : text;
}

/**
 * Wraps lines that are longer than the terminal; the rest is indented below the beginning of the line and keeps its
 * colours.
 */
export function fitted(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => (visible(line).length <= columns ? [line] : wrapped(line, columns)))
    .join('\n');
}

function wrapped(line: string, columns: number): string[] {
  const [start = ''] = BEGINNING.exec(line) ?? [];
  const indent = ' '.repeat(visible(start).length);
  const [first = '', ...rest] = broken(line.slice(start.length), columns - indent.length - 2);
  let paint = '';
  return [start + first, ...rest.map((each) => `${indent}  ${each}`)].map((each) => {
    const before = paint;
    paint = paintAfter(each, before);
    return before + each + (paint === '' ? '' : RESET);
  });
}

/** The colour that a line begun with `paint` still has at its end; none after a reset. */
function paintAfter(line: string, paint: string): string {
  return (line.match(PAINT) ?? []).reduce((active, code) => (code === RESET ? '' : active + code), paint);
}

/** `12s`, `5m`, `3h`, `2d`: ages in kubectl's format. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** `1 reload`, `2 reloads`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
