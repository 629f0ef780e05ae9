// Files that packaging repeats because neither Helm nor kustomize reads beyond its own folder. `npm run generate` writes
// them, tests compare.
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { STAMPED, stamp } from './coordinates.mjs';
import { valuesReadme } from './values-readme.mjs';

const read = (path) => stamp(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));

/** Path within the repository to content. `crds` likewise: the definitions under `crd/`. */
export function generatedPackaging(crds) {
  const copies = [...crds].flatMap(([path, content]) => {
    const name = path.split('/').at(-1);
    return [
      [`charts/reloader/files/crds/${name}`, content],
      [`config/crd/bases/${name}`, content],
    ];
  });
  return new Map([
    ...copies,
    ...STAMPED.map((path) => [path, read(path)]),
    ['charts/reloader/README.md', valuesReadme(read('charts/reloader/values.yaml'))],
    ['charts/reloader/files/defaults.yaml', defaults(read('charts/reloader/values.yaml'))],
    ['charts/reloader/files/dashboard.json', read('dashboards/reloader.json')],
    ['config/prometheus/rules.yaml', prometheusRule(parse(read('charts/reloader/files/rules.yaml')))],
  ]);
}

function defaults(values) {
  return `# Generated from values.yaml, for templates: run \`npm run generate\`.\n${stringify(parse(values))}`;
}

function prometheusRule(rules) {
  const object = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: {
      name: 'rules',
      namespace: 'system',
      labels: { 'app.kubernetes.io/name': 'reloader-operator' },
    },
    spec: rules,
  };
  return `# Generated from charts/reloader/files/rules.yaml: change it there, then run \`npm run generate\`.\n${stringify(object, { lineWidth: 0 })}`;
}
