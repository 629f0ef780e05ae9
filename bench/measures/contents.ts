/**
 * How long the validation of a content takes, and how long it blocks the event loop. Ordinary contents are compared
 * with JSON.parse and SHA-256 of the same bytes; of a thousand hostile ones, the slowest counts.
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { createRandom } from '@reloader/runtime/testing';
import {
  CONTENT_FORMATS,
  type ContentFormat,
} from '../../packages/operator/src/reloader/model/content-rule.ts';
import { checkContent } from '../../packages/operator/src/validate/check.ts';
import { contentOf } from '../../packages/operator/src/validate/content.ts';
import { contentRule } from '../../packages/operator/src/validate/rule.ts';
import { type Measure, ms, type Row } from '../measure.ts';

const SEED = 16;
const HOSTILE = 1_000;
const LONGEST_MS = 50;
const ROUNDS = 5;
const PIECES = [
  '[',
  '{a: ',
  '{"a":',
  '- ',
  '"',
  '\\',
  '? ',
  '&a *a ',
  '!t ',
  '\0',
  '\uFEFF',
  '__proto__: 1\n',
  'a: 1\n',
];

const check = (text: string, format: ContentFormat): number => {
  const rules = [contentRule({ from: 'bench', requiredKeys: [], key: 'a', format })];
  const content = contentOf(rules, { a: text }, {});
  const began = performance.now();
  checkContent(content, rules, 0);
  return performance.now() - began;
};

const floor = (text: string): number => {
  const began = performance.now();
  createHash('sha256').update(text).digest();
  return performance.now() - began;
};

function ordinary(bytes: number): string {
  let text = '';
  for (let index = 0; text.length < bytes; index += 1) {
    text += `section${index}:\n  name: thing-${index}\n  port: ${index}\n  list:\n    - a\n    - b: c\n`;
  }
  return text;
}

function row(what: string, text: string, target?: number): Row {
  const format = 'yaml';
  const rounds = Array.from({ length: ROUNDS }, () => [check(text, format), floor(text)] as const);
  const ours = Math.min(...rounds.map(([time]) => time));
  const bare = Math.min(...rounds.map(([, time]) => time));
  return {
    what,
    ours: ms(ours),
    floor: ms(bare),
    ...(target !== undefined && { target: `at most ${target} ms`, met: ours <= target }),
  };
}

export const contents: Measure = {
  name: 'contents',
  title: 'Verdicts on contents',
  how: 'The check itself, as the worker thread runs it, without the way there; beside it SHA-256 of the same bytes. Of hostile contents up to a megabyte the slowest is told, by the shorter of two rounds.',
  async run(): Promise<Row[]> {
    const random = createRandom(SEED);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
    const times: number[] = [];
    for (let index = 0; index < HOSTILE; index += 1) {
      const piece = pick(PIECES);
      const bytes = pick([1_000, 100_000, 1_000_000]);
      const [text, format] = [piece.repeat(Math.ceil(bytes / piece.length)), pick(CONTENT_FORMATS)];
      // The shorter of two runs: other load on the machine only makes a run longer.
      times.push(Math.min(check(text, format), check(text, format)));
    }
    const sorted = times.toSorted((a, b) => a - b);
    const slowest = sorted.at(-1) ?? 0;
    const within = times.filter((time) => time <= LONGEST_MS).length;
    return [
      row('4 KiB of ordinary YAML', ordinary(4_096), LONGEST_MS),
      row('64 KiB of ordinary YAML', ordinary(65_536), LONGEST_MS),
      row('1 MB of ordinary YAML', ordinary(1_000_000)),
      {
        what: `${HOSTILE} hostile contents (seed ${SEED}): median, slowest`,
        ours: `${ms(sorted[HOSTILE / 2] ?? 0)}, ${ms(slowest)}`,
        target: `each at most ${LONGEST_MS} ms: ${within} are`,
        met: within === HOSTILE,
      },
    ];
  },
};
