// Assembles what the image holds of us, from a built checkout: `node scripts/image-tree.mjs DIRECTORY`. The Dockerfile
// calls it, and so does the test that runs the result without a container engine.
//
// The operator's bundles hold almost all that they use; what stays outside them is copied from node_modules. Declarations
// and sources run nowhere.
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const OPERATOR = 'packages/operator';
/** Of the dependencies, those that the bundles leave out (scripts/build.mjs) and that run in a cluster. */
const OUTSIDE = { re2js: undefined, '@marcbachmann/cel-js': 'lib' };

export function assemble(destination) {
  const built = join(root, OPERATOR, 'dist/cli/main.js');
  if (!existsSync(built)) throw new Error(`${built} is missing: run "npm run build" first`);
  copy(join(OPERATOR, 'package.json'), destination);
  copy('LICENSE', destination);
  copy(join(OPERATOR, 'dist'), destination, (path) => !path.endsWith('.d.ts'));
  for (const [name, folder] of Object.entries(OUTSIDE)) {
    // The bundles `require` it when it is first needed, which leads to `main`, and from there to the folder.
    const { main } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    for (const part of ['package.json', 'LICENSE', folder ?? main])
      if (existsSync(join(root, 'node_modules', name, part)))
        copy(join('node_modules', name, part), destination, (path) => !path.endsWith('.d.ts'));
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
