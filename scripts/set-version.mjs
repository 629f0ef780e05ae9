// Sets the version of the packages, the chart and all files that name a release: `node scripts/set-version.mjs 0.2.0`.
// RELEASING.md has the steps before and after. The lock file and the generated files are updated by their own commands.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/;
const OURS = /("version"|"@reloader\/[a-z-]+"): "\d[^"]*"/g;
/**
 * Files that name a release, and no other version that looks like it. `npm run generate` updates the names of images.
 */
const NAMING = [
  'docs/get-the-command.md',
  'docs/verify-a-release.md',
  'examples/argo-cd/reloader.yaml',
  'plugins/krew.yaml',
];
const root = fileURLToPath(new URL('..', import.meta.url));

function manifests() {
  const { workspaces } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const folders = workspaces.flatMap((pattern) =>
    pattern.endsWith('/*')
      ? readdirSync(`${root}${pattern.slice(0, -2)}`).map((name) => `${pattern.slice(0, -1)}${name}`)
      : [pattern],
  );
  const paths = ['package.json', ...folders.map((folder) => `${folder}/package.json`)];
  return paths.filter((path) => existsSync(`${root}${path}`));
}

/** Maps each path within the repository to its content with that version. */
export function withVersion(version) {
  if (!VERSION.test(version)) throw new Error(`"${version}" is no version such as 0.2.0 or 0.2.0-rc.1`);
  const edit = (path, pattern, replacement) => [
    path,
    readFileSync(`${root}${path}`, 'utf8').replace(pattern, replacement),
  ];
  const { version: present } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const named = new RegExp(`(?<![\\d.])${present.replaceAll('.', '\\.')}(?![\\d-])`, 'g');
  return new Map([
    ...manifests().map((path) => edit(path, OURS, `$1: "${version}"`)),
    ...NAMING.map((path) => edit(path, named, version)),
    edit('Dockerfile', /^ARG VERSION=.+$/m, `ARG VERSION=${version}`),
    edit('charts/reloader/Chart.yaml', /^(version|appVersion): .+$/gm, `$1: ${version}`),
    edit('packages/runtime/src/client/create-client.ts', /(?<='reloader-runtime\/)[^']+/, version),
  ]);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  for (const [path, content] of withVersion(process.argv[2] ?? '')) writeFileSync(`${root}${path}`, content);
}
