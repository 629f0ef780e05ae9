/**
 * A release of Stakater's chart is upgraded to ours, in both ways that the migration page shows. Helm then gives our
 * chart Stakater's values, nulls and image included, and none of our own defaults.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COORDINATES } from '../../config/coordinates.mjs';
import { useControlPlane } from '../control-plane/vitest.ts';
import {
  CHART,
  containerOf,
  isMap,
  merged,
  nested,
  only,
  template,
  tryTemplate,
  type Values,
} from './helm.ts';

const STAKATER = fileURLToPath(new URL('stakater-release', import.meta.url));
const values = parse(readFileSync(`${STAKATER}/values.yaml`, 'utf8')) as Values;
const defaults = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as Values;
const { image, version } = COORDINATES;
const OUR_IMAGE = merged(nested('image.repository', image), { image: { tag: '' } });

describe('its whole values file', () => {
  test('is refused while it names its own image, with what to set', async () => {
    const { status, stderr } = await tryTemplate(values);
    expect(status).not.toBe(0);
    expect(stderr).toContain(
      'image.repository: ghcr.io/stakater/reloader is the image of Stakater Reloader, which this chart cannot run',
    );
    expect(stderr).toContain(`image.repository=${image}`);
    expect(stderr).not.toContain('schema');
  });

  test.each([
    [
      'image.name',
      { global: { imageRegistry: 'mirror.example.com' } },
      'mirror.example.com/stakater/reloader',
    ],
    ['image.tag', nested('image.repository', image), 'v1.4.21'],
  ])('is refused by %s, too', async (value, more, named) => {
    const { status, stderr } = await tryTemplate(merged(values, more));
    expect(status).not.toBe(0);
    expect(stderr).toContain(`${value}: `);
    expect(stderr).toContain(named);
  });

  test('works with our image', async () => {
    const manifests = await template(merged(values, OUR_IMAGE));
    expect(containerOf(manifests)).toMatchObject({ image: `${image}:${version}` });
  });
});

const PARTS_OF_THE_POD = /^(resources|securityContext|containerSecurityContext)$/;

/**
 * Our values with null in place of each that `replaces` matches: every value that is not a map, or every innermost map.
 */
function nulls(of: Values, replaces: (value: unknown) => boolean): Values {
  return Object.fromEntries(
    Object.entries(of)
      // Labels are not settings: a null may remove a default one.
      .filter(([key]) => !PARTS_OF_THE_POD.test(key) && key !== 'labels')
      .map(([key, value]) => [key, replaces(value) || !isMap(value) ? null : nulls(value, replaces)]),
  );
}

test.each([
  ['every value', (value: unknown) => !isMap(value) || Object.keys(value).length === 0],
  ['every group', (value: unknown) => isMap(value) && !Object.values(value).some(isMap)],
])('a null says nothing: %s', async (_name, replaces) => {
  const given = nulls(defaults, replaces);
  expect(JSON.stringify(given).split('null').length).toBeGreaterThan(20);
  expect(await template(given)).toEqual(await template());
});

test('a null removes parts of the pod, as everywhere in Helm', async () => {
  const { resources } = containerOf(await template(nested('reloader.deployment.resources', null))) as {
    resources?: object;
  };
  expect(resources).toBeUndefined();
});

test.each([false, true])('a null removes the security contexts (OpenShift: %s)', async (isOpenshift) => {
  const deployment = { securityContext: null, containerSecurityContext: null };
  const manifests = await template({ reloader: { isOpenshift, deployment } });
  const { spec } = only(manifests, 'Deployment') as { spec: { template: { spec: object } } };
  expect(spec.template.spec).not.toHaveProperty('securityContext');
  expect(containerOf(manifests)).toMatchObject({ securityContext: { readOnlyRootFilesystem: true } });
});

describe('its release', () => {
  const cluster = useControlPlane({ workloads: false });
  const NAMES = ['-n', 'reloader'];
  const helm = (...args: string[]): Promise<string> => cluster().helm([...args, ...NAMES]);
  const deployment = async (): Promise<{
    metadata: { uid: string };
    spec: { template: { spec: { containers: [{ image: string; args?: string[] }] } } };
  }> =>
    JSON.parse(await cluster().kubectl([...NAMES, 'get', 'deployment', 'reloader-reloader', '-o', 'json']));

  beforeAll(async () => {
    await cluster().helm([
      ...['install', 'reloader', STAKATER, ...NAMES, '--create-namespace'],
      ...['--set', 'reloader.reloadStrategy=annotations', '--set', 'reloader.autoReloadAll=true'],
    ]);
  });

  test('with --reuse-values alone is left as it is', async () => {
    const before = await deployment();
    await expect(helm('upgrade', 'reloader', CHART, '--reuse-values')).rejects.toThrow(
      /image\.repository: .*is the image of Stakater Reloader/,
    );
    expect(await deployment()).toEqual(before);
  });

  test.each([
    ['--reuse-values and our image', ['--reuse-values', '--set', `image.repository=${image},image.tag=`]],
    ['--reset-then-reuse-values', ['--reset-then-reuse-values']],
  ])('with %s is ours, in place, with the settings that were made', async (_name, args) => {
    const before = await deployment();
    await helm('upgrade', 'reloader', CHART, ...args);
    const after = await deployment();
    const [container] = after.spec.template.spec.containers;
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(container.image).toBe(`${image}:${version}`);
    expect(container.args).toEqual(
      expect.arrayContaining(['--reload-strategy=annotations', '--auto-reload-all=true']),
    );
    await helm('rollback', 'reloader', '1');
    expect((await deployment()).spec.template.spec.containers[0].image).toContain('stakater');
  });
});
