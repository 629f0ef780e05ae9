// Assembles our files of the image from a built checkout: `node scripts/image-tree.mjs DIRECTORY`. The Dockerfile calls
// it, and so does the test that runs the result without a container engine.
//
// The operator's bundles contain almost all of their dependencies; the others are copied from node_modules.
// Declarations and sources are left out, because nothing runs them.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const OPERATOR = 'packages/operator';
/** The dependencies that the bundles leave out (scripts/build.mjs) and that the operator needs in a cluster. */
const OUTSIDE = { re2js: undefined, '@marcbachmann/cel-js': 'lib' };

/** No stack trace leads into generated data. */
const MAP_OF_DATA = /\.generated-[^/]*\.map$/;

export function assemble(destination) {
  const built = join(root, OPERATOR, 'dist/cli/main.js');
  if (!existsSync(built)) throw new Error(`${built} is missing: run "npm run build" first`);
  copy(join(OPERATOR, 'package.json'), destination);
  copy('LICENSE', destination);
  copy(join(OPERATOR, 'dist'), destination, (path) => !path.endsWith('.d.ts') && !MAP_OF_DATA.test(path));
  for (const [name, folder] of Object.entries(OUTSIDE)) {
    // The bundles `require` the package when they first need it, which resolves to `main`, and from there to the
    // folder.
    const { main } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    for (const part of ['package.json', 'LICENSE', folder ?? main])
      if (existsSync(join(root, 'node_modules', name, part)))
        copy(join('node_modules', name, part), destination, (path) => !path.endsWith('.d.ts'));
    compact(join(destination, 'node_modules', name));
  }
}

/** As in our own bundles: comments and line breaks would stay in memory while the program runs. */
function compact(folder) {
  for (const path of readdirSync(folder, { recursive: true })) {
    const file = join(folder, path);
    if (!/\.c?js$/.test(path)) continue;
    const { code } = transformSync(readFileSync(file, 'utf8'), {
      minifyWhitespace: true,
      minifySyntax: true,
    });
    writeFileSync(file, code);
  }
}

function copy(path, destination, filter = () => true) {
  const target = join(destination, path);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, path), target, { recursive: true, dereference: true, filter });
}

const [, script, destination] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  if (destination === undefined) {
    console.error('Where to? node scripts/image-tree.mjs DIRECTORY');
    process.exit(2);
  }
  assemble(destination);
}
