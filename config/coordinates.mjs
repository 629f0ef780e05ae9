// Where releases go: image, charts, repository and site, said once, in packages/operator/package.json. Every other place
// repeats it; `npm run generate` writes it there, so a fork or a release elsewhere changes one file.
import { readFileSync } from 'node:fs';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const { version, homepage, repository, config } = JSON.parse(read('packages/operator/package.json'));

export const COORDINATES = {
  version,
  image: config.image,
  charts: config.charts,
  repository: repository.url.replace(/^git\+/, '').replace(/\.git$/, ''),
  site: homepage,
};

/** Files that name one of them. */
export const STAMPED = [
  '.github/ISSUE_TEMPLATE/bug.yml',
  '.github/ISSUE_TEMPLATE/config.yml',
  '.github/ISSUE_TEMPLATE/question.yml',
  'Dockerfile',
  'Makefile',
  'charts/reloader/Chart.yaml',
  'charts/reloader/files/rules.yaml',
  'charts/reloader/values.yaml',
  'config/manager/manager.yaml',
  'dashboards/reloader.json',
  'docs/get-the-command.md',
  'docs/installation.md',
  'docs/migration-from-stakater.md',
  'docs/quick-start.md',
  'docs/upgrading.md',
  'docs/verify-a-release.md',
  'manifests/deployment.yaml',
  'manifests/install.yaml',
  'packages/create-operator/package.json',
  'packages/minicluster/package.json',
  'packages/runtime/package.json',
  'plugins/krew.yaml',
];

const OWNER = '(?!stakater/)[a-z0-9][a-z0-9-]*';
const PLACES = [
  [new RegExp(`https://github\\.com/${OWNER}/reloader(?![\\w-])`, 'g'), COORDINATES.repository],
  [new RegExp(`https://${OWNER}\\.github\\.io/reloader(?![\\w-])`, 'g'), COORDINATES.site],
  [new RegExp(`oci://[a-z0-9.:-]+/${OWNER}/charts(?![\\w-])`, 'g'), COORDINATES.charts],
  // An image has a registry in front; with a tag, it is that of this version.
  [
    new RegExp(`(?<![\\w./-])(?!github\\.com)[a-z0-9-]+\\.[a-z0-9.-]+/${OWNER}/reloader:\\d[\\w.-]*`, 'g'),
    `${config.image}:${version}`,
  ],
  [
    new RegExp(`(?<![\\w./-])(?!github\\.com)[a-z0-9-]+\\.[a-z0-9.-]+/${OWNER}/reloader(?![\\w:-])`, 'g'),
    config.image,
  ],
];

/** The text with the present coordinates in place of any others of their shape. */
export function stamp(text) {
  const [, ...path] = config.image.split('/');
  return PLACES.reduce((done, [pattern, value]) => done.replace(pattern, value), text).replace(
    /^( {2}# With global\.imageRegistry\.\n {2}name: ).*$/m,
    `$1${path.join('/')}`,
  );
}
