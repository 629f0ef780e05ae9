/**
 * The fenced blocks of the documentation.
 *
 * In: a page. Out: its blocks in order, each with how it is tested. A block is run, or the line before it says `<!--
 * not run: why -->` or `<!-- run by FILE -->`; a `text` block after commands is their output.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Block {
  /** The line of the fence, counted from 1. */
  readonly line: number;
  readonly language: string;
  /** The text after the language: the file that a YAML block is saved as, or was taken from. */
  readonly info: string;
  readonly text: string;
  /** The reason why it is not run. */
  readonly notRun: string | undefined;
  /** The test that runs it, if it is not one of this folder. */
  readonly runBy: string | undefined;
  /** The output of this block's commands, with `…` for parts that differ from run to run. */
  readonly prints: string | undefined;
}

const FENCE = /^( *)```(\S*) ?(.*)$/;
const NOT_RUN = /^ *<!-- not run: (\S.*\S) -->$/;
const RUN_BY = /^ *<!-- run by (\S+) -->$/;

/** Paths within the repository. Decision records are left out: their quotes need not run any more. */
export function pages(): string[] {
  const under = (folder: string): string[] =>
    readdirSync(`${ROOT}/${folder}`, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? under(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
    );
  return under('docs')
    .filter((path) => path.endsWith('.md') && !path.startsWith('docs/adr/'))
    .sort();
}

export const read = (page: string): string => readFileSync(`${ROOT}/${page}`, 'utf8');

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, indent = '', language = '', info = ''] = FENCE.exec(lines[index] ?? '') ?? [];
    if (!FENCE.test(lines[index] ?? '')) continue;
    const end = lines.findIndex((line, at) => at > index && line === `${indent}\`\`\``);
    if (end < 0) throw new Error(`The block that begins in line ${index + 1} has no end`);
    const before = lines.slice(0, index).findLast((line) => line.trim() !== '') ?? '';
    blocks.push({
      line: index + 1,
      language,
      info: info.trim(),
      text: `${lines
        .slice(index + 1, end)
        .map((line) => line.slice(indent.length))
        .join('\n')}\n`,
      notRun: NOT_RUN.exec(before)?.[1],
      runBy: RUN_BY.exec(before)?.[1],
      prints: undefined,
    });
    index = end;
  }
  return blocks.map((block, index) => {
    const next = blocks[index + 1];
    return next?.language === 'text' && !next.notRun ? { ...block, prints: next.text } : block;
  });
}

/** True if the tests of this folder run it. */
export const isOurs = ({ notRun, runBy }: Block): boolean => notRun === undefined && runBy === undefined;

/** True if the output matches the page: line by line, ignoring white space, with `…` for anything. */
export function printsAs(output: string, shown: string): boolean {
  const quote = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = shown
    .trim()
    .split(/\s+/)
    .map((word) => word.split('…').map(quote).join('[\\s\\S]*?'))
    .join('\\s+');
  return new RegExp(`^${pattern}$`).test(output.trim());
}
