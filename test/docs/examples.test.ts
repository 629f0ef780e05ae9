/**
 * Every `@example` of the public packages compiles, under the strictest settings. Each becomes a function; names that
 * it does not define come from our packages, or from the reader's program (`examples.prelude.ts`).
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as minicluster from '@reloader/minicluster';
import * as runtime from '@reloader/runtime';
import * as kind from '@reloader/runtime/kind';
import * as testing from '@reloader/runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './blocks.ts';

interface Example {
  /** The file, and the place of the example within it. */
  readonly place: string;
  readonly code: string;
}

const MODULES = {
  '@reloader/runtime': Object.keys(runtime),
  '@reloader/runtime/kind': Object.keys(kind),
  '@reloader/runtime/testing': Object.keys(testing),
  '@reloader/minicluster': Object.keys(minicluster),
};
const PRELUDE = [
  ...readFileSync(join(ROOT, 'test/docs/examples.prelude.ts'), 'utf8').matchAll(
    /^export (?:declare (?:const|function)|interface) (\w+)|^export type \{([^}]+)\}/gm,
  ),
].flatMap(([, one, several]) => (one ? [one] : (several ?? '').split(',').map((each) => each.trim())));

function* sources(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (entry.name.endsWith('.ts') && !entry.name.includes('.test.')) yield path;
  }
}

function examplesIn(file: string): Example[] {
  const comments = readFileSync(file, 'utf8').matchAll(/\/\*\*[\s\S]*?\*\//g);
  return [...comments].flatMap(([comment]) => {
    if (!comment.includes('@example')) return [];
    const text = comment.replaceAll(/^ *\* ?/gm, '');
    return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ''], index) => ({
      place: `${relative(ROOT, file)} example ${index + 1}`,
      code,
    }));
  });
}

/** Identifiers that are not a property or a key. */
const names = (code: string): Set<string> =>
  new Set([...code.matchAll(/(?<![.\w'"`])(\w+)(?!\w*['"`])/g)].map(([, word = '']) => word));

function programOf({ code }: Example): string {
  const used = names(code);
  const own = new Set([...code.matchAll(/(?:const|let|function|class) (\w+)/g)].map(([, name = '']) => name));
  const imports: string[] = [];
  const taken = new Set(own);
  for (const [module, known] of [['../examples.prelude.ts', PRELUDE] as const, ...Object.entries(MODULES)]) {
    const wanted = known.filter((name) => used.has(name) && !taken.has(name));
    for (const name of wanted) taken.add(name);
    if (wanted.length > 0) imports.push(`import { ${wanted.join(', ')} } from '${module}';`);
  }
  return `${imports.join('\n')}\n\nexport async function example() {\n${code}}\n`;
}

const EXAMPLES = ['runtime', 'minicluster'].flatMap((name) =>
  [...sources(join(ROOT, `packages/${name}/src`))].flatMap(examplesIn),
);

let directory: string;
beforeAll(async () => {
  // Inside the repository, so that imports of our packages are resolved.
  directory = await mkdtemp(`${ROOT}/test/docs/blocks-`);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('there are many', () => expect(EXAMPLES.length).toBeGreaterThanOrEqual(20));

test('each of them compiles', { timeout: 120_000 }, async () => {
  for (const [index, example] of EXAMPLES.entries())
    await writeFile(join(directory, `example-${index}.ts`), programOf(example));
  const settings = {
    extends: '../../../tsconfig.base.json',
    compilerOptions: {
      noEmit: true,
      noImplicitReturns: false,
      noUnusedLocals: false,
      verbatimModuleSyntax: false,
      customConditions: ['@reloader/source'],
    },
    include: ['*.ts'],
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(settings));
  expect(complaintsOf(directory)).toEqual([]);
});

/** The messages of the compiler, with the place of the example in front. */
function complaintsOf(folder: string): string[] {
  try {
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    return [];
  } catch (error) {
    const output = String((error as { stdout?: Buffer }).stdout);
    return output
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [, index] = /example-(\d+)\.ts/.exec(line) ?? [];
        return index === undefined ? line : `${EXAMPLES[Number(index)]?.place}: ${line}`;
      });
  }
}
