// Builds the page: one script and one style sheet whose names carry a hash of their content, and the document that loads
// them. The operator serves the folder as it is.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('.', import.meta.url));

export async function buildDashboard(destination) {
  const outdir = resolve(destination);
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: ['src/main.tsx', 'src/style.css'],
    outdir,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    // The document says so, too. Escapes would be longer.
    charset: 'utf8',
    metafile: true,
    format: 'esm',
    // The first with light-dark() in style sheets.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'transform',
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    inject: ['src/jsx.ts'],
    tsconfigRaw: { compilerOptions: {} },
    legalComments: 'none',
    logLevel: 'warning',
  });
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  const named = (extension) => names.find((name) => name.endsWith(extension));
  const page = readFileSync(join(folder, 'src/index.html'), 'utf8');
  writeFileSync(
    join(outdir, 'index.html'),
    page.replace('style.css', named('.css')).replace('main.js', named('.js')),
  );
  writeFileSync(join(outdir, 'icon.svg'), readFileSync(join(folder, 'src/icon.svg')));
}
