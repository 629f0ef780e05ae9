/** Files with copies of facts from elsewhere are compared with the original. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { COORDINATES, stamp } from '../../config/coordinates.mjs';
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

test('the chart tells catalogues what it is and where it comes from', () => {
  const chart = parse(read('charts/reloader/Chart.yaml')) as Record<string, unknown> & {
    annotations: Record<string, string>;
  };
  const { site, repository, image } = COORDINATES;
  expect(chart).toMatchObject({ home: site, sources: [repository], icon: `${site}/icon.svg` });
  expect(chart.maintainers).toHaveLength(1);
  const crds = parse(chart.annotations['artifacthub.io/crds'] ?? '') as { name: string }[];
  expect(crds.map(({ name }) => name).sort()).toEqual(
    [...generatedCrds().values()]
      .map((text) => (parse(text) as { metadata: { name: string } }).metadata.name)
      .sort(),
  );
  expect(parse(chart.annotations['artifacthub.io/images'] ?? '')).toEqual([
    { name: 'reloader', image: `${image}:${version}` },
  ]);
});

describe('where releases go', () => {
  const { image, charts } = COORDINATES;
  /** Files under version control that users read or apply, without generated parts. */
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => path !== '' && !/^(test|bench|packages\/.*\.test\.ts$)|package-lock|\.svg$/.test(path))
    // One that was deleted is listed until that is committed.
    .filter((path) => existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url))));

  test('has a registry with a host, which the image and the charts share', () => {
    expect(image).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?\/[a-z0-9/-]+$/);
    expect(charts.replace('oci://', '').split('/')[0]).toBe(image.split('/')[0]);
  });

  test('kustomize, the manifests and make name the image of this version', () => {
    for (const path of ['config/manager/manager.yaml', 'manifests/install.yaml', 'manifests/deployment.yaml'])
      expect(read(path)).toContain(`image: ${image}:${version}\n`);
    expect(read('Makefile')).toContain(`IMG ?= ${image}:${version}\n`);
  });

  test('a file that names it is one that the release writes', () => {
    const naming = files.filter((path) => !path.startsWith('.github/') && read(path).includes(image));
    const written = [...generatedPackaging(generatedCrds()).keys(), 'packages/operator/package.json'];
    expect(naming.filter((path) => !written.includes(path) && !path.startsWith('config/coord'))).toEqual([]);
  });

  test('another place is replaced by this one, and Stakater is left alone', () => {
    const other = [
      'image: quay.example.org/team/reloader:9.9.9',
      'quay.example.org/team/reloader@sha256:0',
      'helm install oci://quay.example.org/team/charts/reloader',
      'https://github.com/team/reloader/issues',
      'ghcr.io/stakater/reloader:v1.4.21',
      'https://github.com/stakater/reloader',
    ].join('\n');
    expect(stamp(other).split('\n')).toEqual([
      `image: ${image}:${version}`,
      `${image}@sha256:0`,
      `helm install ${charts}/reloader`,
      `${COORDINATES.repository}/issues`,
      'ghcr.io/stakater/reloader:v1.4.21',
      'https://github.com/stakater/reloader',
    ]);
  });

  test('in the chart, the name below another registry is the path of the image', () => {
    const values = parse(read('charts/reloader/values.yaml')) as {
      image: { name: string; repository: string };
    };
    expect(values.image.repository).toBe(image);
    expect(image.endsWith(`/${values.image.name}`)).toBe(true);
  });
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

test('the image can be built again alike: base images by digest, and one layer for what is installed', () => {
  const dockerfile = read('Dockerfile');
  const images = [...dockerfile.matchAll(/^FROM (?:--\S+ )?(\S+)/gm)].map(([, image]) => image);
  expect(images).toHaveLength(2);
  for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
  const beforeInstall = dockerfile.slice(0, dockerfile.indexOf('npm ci'));
  expect(beforeInstall).not.toContain('COPY . .');
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  const exists = (path: string): boolean =>
    existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)));
  const folders = workspaces.flatMap((pattern) => {
    const folder = pattern.replace('/*', '');
    if (folder === pattern) return [folder];
    const names = readdirSync(fileURLToPath(new URL(`../../${folder}`, import.meta.url)));
    return names.map((name) => `${folder}/${name}`).filter((path) => exists(`${path}/package.json`));
  });
  expect(folders.length).toBeGreaterThan(6);
  // Docker gets only the paths that .dockerignore re-includes with `!`.
  const sent = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  for (const folder of folders) {
    const path = `${folder}/package.json`;
    expect(beforeInstall).toContain(`COPY ${path} ${folder}/`);
    expect(
      sent.some((each) => path === each || path.startsWith(`${each}/`)),
      `.dockerignore: ${path}`,
    ).toBe(true);
  }
});

test('the image says where it comes from', () => {
  const dockerfile = read('Dockerfile');
  for (const label of [
    'title',
    'description',
    'source',
    'url',
    'documentation',
    'licenses',
    'version',
    'revision',
  ])
    expect(dockerfile).toContain(`org.opencontainers.image.${label}=`);
  expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
  expect(dockerfile).toContain(`image.source="${COORDINATES.repository}"`);
});

/** Flags that have no meaning in a pod of the chart, or that another value sets. */
const NOT_IN_CHART: readonly RegExp[] = [
  /^kubeconfig$/,
  /^leader-elect$/,
  // The value for --api-allowed-hosts means the same.
  /^ui-host$/,
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

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

test('every value may be null: releases of other charts have nulls where nothing was said', () => {
  const { $defs, properties } = JSON.parse(read('charts/reloader/values.schema.json')) as Schema & {
    $defs: Record<string, Schema>;
  };
  const takesNull = ({ $ref, type, enum: values, anyOf }: Schema): boolean => {
    if ($ref !== undefined) return takesNull($defs[$ref.split('/').at(-1) ?? ''] ?? {});
    if (anyOf) return anyOf.some(takesNull);
    return values ? values.includes(null) : type === undefined || [type].flat().includes('null');
  };
  const refused = (of: Readonly<Record<string, Schema>> = {}, prefix = ''): string[] =>
    Object.entries(of).flatMap(([name, schema]) => [
      ...(takesNull(schema) ? [] : [`${prefix}${name}`]),
      ...refused(schema.properties, `${prefix}${name}.`),
    ]);
  expect(refused(properties)).toEqual([]);
});

test('every template fills in what values left out', () => {
  const folder = fileURLToPath(new URL('../../charts/reloader/templates/', import.meta.url));
  for (const name of readdirSync(folder).filter((each) => !each.endsWith('.tpl')))
    expect(readFileSync(`${folder}${name}`, 'utf8'), name).toMatch(
      /^\{\{- include "reloader.fillValues" \. -\}\}\n/,
    );
});
