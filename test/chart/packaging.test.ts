/** Files that repeat what stands elsewhere, compared with it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { generatedPackaging } from '../../config/generate.mjs';
import { generatedCrds } from '../../packages/operator/src/crds/generate.ts';
import { FAMILIES } from '../../packages/operator/src/settings/flags.ts';
import { DOCKERFILE_FLAGS, IMAGE_ENVIRONMENT } from '../operator-start.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const { version } = JSON.parse(read('packages/operator/package.json')) as { version: string };

test.for([...generatedPackaging(generatedCrds())])(
  '%s is as `npm run generate` writes it',
  ([path, content]) => {
    expect(read(path)).toBe(content);
  },
);

test('the chart has the version of the program', () => {
  const chart = parse(read('charts/reloader/Chart.yaml')) as { version: string; appVersion: string };
  expect(chart).toMatchObject({ version, appVersion: version });
});

test('kustomize, the manifest and make name the image of this version', () => {
  const image = `reloader-operator/reloader:${version}`;
  expect(read('config/manager/manager.yaml')).toContain(`image: ${image}\n`);
  expect(read('manifests/install.yaml')).toContain(`image: ${image}\n`);
  expect(read('Makefile')).toContain(`IMG ?= ${image}\n`);
});

test('the manifest holds every definition as it is', () => {
  const installed = parseAllDocuments(read('manifests/install.yaml')).map(
    (each) => each.toJS() as { kind: string },
  );
  const definitions = [...generatedCrds().values()].map((text) => parse(text) as object);
  const found = installed.filter(({ kind }) => kind === 'CustomResourceDefinition');
  expect(found).toHaveLength(definitions.length);
  for (const definition of definitions) expect(found).toContainEqual(definition);
});

test('the image runs the command of the operator without root rights', () => {
  const dockerfile = read('Dockerfile');
  const command = ['/nodejs/bin/node', ...DOCKERFILE_FLAGS, '/app/packages/operator/dist/cli/main.js'];
  const entryPoint = dockerfile.slice(dockerfile.indexOf('ENTRYPOINT') + 'ENTRYPOINT'.length);
  expect(JSON.parse(entryPoint.replaceAll('\\\n', ''))).toEqual(command);
  for (const [name, value] of Object.entries(IMAGE_ENVIRONMENT))
    expect(dockerfile).toContain(`${name}=${value}`);
  expect(dockerfile).toMatch(/^USER 65532:65532$/m);
  expect(dockerfile).toMatch(/^FROM \S*distroless\/nodejs24/m);
});

test.for(['test', 'image', 'chart', 'release'])(
  'the workflow %s is YAML with jobs, and pins its actions',
  (name) => {
    const text = read(`.github/workflows/${name}.yaml`);
    const { jobs } = parse(text) as { jobs: Record<string, { steps?: { uses?: string }[] }> };
    const uses = Object.values(jobs).flatMap(({ steps = [] }) => steps.flatMap((step) => step.uses ?? []));
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^(\.\/|[^@]+@v\d+$)/);
  },
);

/** Flags that mean nothing in a pod of the chart, or that another value says already. */
const NOT_IN_CHART: readonly RegExp[] = [
  /^kubeconfig$/,
  /^leader-elect$/,
  /^zap-/,
  /^webhook-cert-/,
  /^(http|health-probe|admission)-bind-address$/,
  /^(metrics-secure|metrics-cert-name|metrics-cert-key|enable-http2)$/,
  /^alert-webhook-url$/,
];

test('every flag has a value in the chart, or a reason to have none', () => {
  const folder = fileURLToPath(new URL('../../charts/reloader/templates/', import.meta.url));
  const templates = readdirSync(folder)
    .map((name) => readFileSync(`${folder}${name}`, 'utf8'))
    .join('\n');
  const flags = FAMILIES.flatMap(({ flags: table }) => Object.keys(table));
  const missing = flags.filter(
    (name) =>
      !templates.includes(`--${name}=`) &&
      !templates.includes(`"${name}"`) &&
      !NOT_IN_CHART.some((each) => each.test(name)),
  );
  expect(missing).toEqual([]);
});
