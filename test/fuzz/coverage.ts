/**
 * Counts which branches of the code under test have run, with counters that are inserted while it is bundled.
 *
 * V8 has block counters, but reading them takes tens of milliseconds, and a fuzzer reads after every input. Reading
 * these takes microseconds.
 */
import { readFile } from 'node:fs/promises';
import { type AnyNode, parse } from 'acorn';
import { type Plugin, transform } from 'esbuild';

export const COUNTERS = '__fuzzCounters';
const MOST_COUNTERS = 1 << 16;

/** The counters of this process; without instrumented code they stay at zero. */
export function countersOf(scope: Record<string, unknown> = globalThis as never): Uint8Array {
  scope[COUNTERS] ??= new Uint8Array(MOST_COUNTERS);
  return scope[COUNTERS] as Uint8Array;
}

export class Coverage {
  readonly #counters = countersOf();
  /** For each counter the orders of magnitude seen so far, as bits: once, a few times, often. */
  readonly #seen = new Uint8Array(MOST_COUNTERS);
  branches = 0;

  constructor() {
    // Clears the counts of an earlier run.
    this.#counters.fill(0);
  }

  /** True if the last run reached something for the first time. Begins a new run. */
  isNew(): boolean {
    const counters = this.#counters;
    let news = false;
    for (let index = 0; index < used; index++) {
      const count = counters[index] as number;
      if (count === 0) continue;
      counters[index] = 0;
      const bit = count === 1 ? 1 : count < 4 ? 2 : count < 32 ? 4 : 8;
      const before = this.#seen[index] as number;
      if ((before & bit) !== 0) continue;
      if (before === 0) this.branches += 1;
      this.#seen[index] = before | bit;
      news = true;
    }
    return news;
  }
}

let used = MOST_COUNTERS;

/** Sets the number of counters, so that the unused ones are not read. */
export function useCounters(count: number): void {
  used = count;
}

/** For esbuild: inserts counters into files whose path contains one of these. */
export function instrumenting(folders: readonly string[]): { plugin: Plugin; count: () => number } {
  let count = 0;
  const plugin: Plugin = {
    name: 'counters',
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|js|mjs)$/ }, async ({ path }) => {
        if (!folders.some((folder) => path.includes(folder))) return undefined;
        const source = await readFile(path, 'utf8');
        const { code } = await transform(source, {
          loader: path.endsWith('.ts') ? 'ts' : 'js',
          target: 'node20',
        });
        return { contents: instrumented(code, () => count++), loader: 'js' };
      });
    },
  };
  return { plugin, count: () => count };
}

/** The same program with a counter at the start of every block, branch and arrow. */
export function instrumented(code: string, next: () => number): string {
  const inserts: { at: number; text: string; order: number }[] = [];
  const insert = (at: number, text: string): void => {
    inserts.push({ at, text, order: inserts.length });
  };
  const tick = (): string => `__ran[${next()}]++`;
  const around = ({ start, end }: AnyNode): void => {
    insert(start, `(${tick()},`);
    insert(end, ')');
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }), (node) => {
    if (node.type === 'BlockStatement') insert(node.start + 1, `${tick()};`);
    if (node.type === 'SwitchCase' && node.consequent[0]) insert(node.consequent[0].start, `${tick()};`);
    if (node.type === 'ConditionalExpression')
      for (const each of [node.consequent, node.alternate]) around(each);
    if (node.type === 'LogicalExpression') around(node.right);
    if (node.type === 'ArrowFunctionExpression' && node.body.type !== 'BlockStatement') around(node.body);
    if (node.type === 'IfStatement')
      for (const each of [node.consequent, node.alternate])
        if (each && each.type !== 'BlockStatement') {
          insert(each.start, `{${tick()};`);
          insert(each.end, '}');
        }
  });
  // From the end on, so that positions stay valid; of two at one place, the outer one comes first.
  inserts.sort((one, other) => other.at - one.at || other.order - one.order);
  const counted = inserts.reduce(
    (text, { at, text: piece }) => text.slice(0, at) + piece + text.slice(at),
    code,
  );
  return `const __ran = globalThis.${COUNTERS};\n${counted}`;
}

function visit(node: AnyNode, onNode: (node: AnyNode) => void): void {
  onNode(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === 'object' && typeof (child as AnyNode).type === 'string')
        visit(child as AnyNode, onNode);
    }
  }
}
