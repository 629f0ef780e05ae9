/** Values that are allowed and seldom given: nulls in maps, numbers, names of digits, and a chart above ours. */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { controlPlaneBinary } from '../control-plane/build.ts';
import { runCommand } from '../control-plane/command.ts';
import {
  CHART,
  containerOf,
  type Manifest,
  nested,
  only,
  template,
  tryTemplate,
  type Values,
} from './helm.ts';

describe('a null in a map that users fill', () => {
  test.concurrent.for([
    'global.extra',
    'reloader.custom_annotations.auto',
    'reloader.deployment.annotations.note',
    'reloader.deployment.env.existing.credentials',
    'reloader.deployment.env.field.NODE',
    'reloader.deployment.env.open.ALERT_SINK',
    'reloader.deployment.env.secret.ALERT_WEBHOOK_PROXY',
    'reloader.deployment.labels.provider',
    'reloader.deployment.nodeSelector.zone',
    'reloader.deployment.pod.annotations.note',
    'reloader.matchLabels.team',
    'reloader.rbac.labels.team',
    'reloader.service.annotations.note',
    'reloader.serviceAccount.annotations.note',
  ])('says nothing: %s', async (path, { expect: check }) => {
    check(await template(nested(path, null))).toEqual(await template());
  });

  test('nor does an empty name of an annotation, as in the chart of Stakater', async () => {
    expect(await template(nested('reloader.custom_annotations.auto', ''))).toEqual(await template());
  });

  test('leaves its neighbours', async () => {
    const { args } = containerOf(
      await template({ reloader: { custom_annotations: { auto: null, search: 'mine/search' } } }),
    );
    expect(args.filter((arg) => arg.includes('annotation='))).toEqual([
      '--auto-search-annotation=mine/search',
    ]);
  });
});

describe('a number', () => {
  test('of bytes is the heap that the same text is', async () => {
    const { env } = containerOf(
      await template(nested('reloader.deployment.gomemlimitOverride', 167_772_160)),
    );
    expect(env).toContainEqual({ name: 'NODE_OPTIONS', value: '--max-old-space-size=160' });
  });

  test('in the environment has no exponent', async () => {
    const { env } = containerOf(
      await template(nested('reloader.deployment.env.open', { LIMIT: 25_000_000 })),
    );
    expect(env).toContainEqual({ name: 'LIMIT', value: '25000000' });
  });
});

describe('a variable that the chart sets, too', () => {
  test('is there once, with the value of the user: server-side apply refuses a name that is there twice', async () => {
    const { env } = containerOf(
      await template({
        reloader: {
          alerts: { proxy: 'http://proxy.test:3128' },
          deployment: {
            env: {
              open: { RELOADER_DEPLOYMENT_NAME: 'mine', ALERT_SINK: 'slack' },
              secret: { ALERT_SINK: 'teams' },
              field: { POD_NAME: 'metadata.name', POD_NAMESPACE: 'metadata.annotations' },
              existing: { credentials: { ALERT_WEBHOOK_PROXY: 'proxy' } },
            },
          },
        },
      }),
    );
    const names = env.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    const variable = (wanted: string) => env.find(({ name }) => name === wanted);
    expect(variable('RELOADER_DEPLOYMENT_NAME')).toEqual({ name: 'RELOADER_DEPLOYMENT_NAME', value: 'mine' });
    expect(variable('POD_NAMESPACE')?.valueFrom).toEqual({ fieldRef: { fieldPath: 'metadata.annotations' } });
    expect(variable('ALERT_SINK')?.valueFrom).toEqual({
      secretKeyRef: { name: 'reloader-reloader', key: 'ALERT_SINK' },
    });
    expect(variable('ALERT_WEBHOOK_PROXY')?.valueFrom).toEqual({
      secretKeyRef: { name: 'credentials', key: 'proxy' },
    });
  });
});

/** Where the API server wants text, a name such as 2048, 1e3 or true would be read as something else. */
const NAMES = /^(name|namespace|serviceAccountName|secretName|app|release|app\.kubernetes\.io\/.*)$/;

function wrongTypes(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    NAMES.test(key) && typeof inner !== 'string' && typeof inner !== 'object'
      ? [`${path}/${key}: ${inner}`]
      : wrongTypes(inner, `${path}/${key}`),
  );
}

test('names that YAML takes for numbers stay names', async () => {
  const every = (...paths: readonly string[]): Values =>
    Object.fromEntries(paths.map((path) => [path, { enabled: true, namespace: '2048' }]));
  const values = {
    fullnameOverride: '123',
    nameOverride: '42',
    namespace: '2048',
    reloader: {
      ...every('serviceMonitor', 'podMonitor', 'prometheusRule', 'dashboard'),
      serviceAccount: { name: '77' },
      secureMetrics: { enabled: true, certificateSecret: '88' },
      admission: { enabled: true },
      api: { enabled: true },
      netpol: { enabled: true },
      podDisruptionBudget: { enabled: true },
      verticalPodAutoscaler: { enabled: true },
      deployment: { replicas: 2, env: { secret: { A: 'b' } } },
    },
  };
  const scoped = { reloader: { watchGlobally: false, namespaces: ['1e3', 'true', '0123'] } };
  const manifests: Manifest[] = [...(await template(values)), ...(await template(scoped))];
  expect(manifests.flatMap((each) => wrongTypes(each, `${each.kind}`))).toEqual([]);
});

test('another name is in the label for it, and the command finds the operator by another label', async () => {
  const manifests = await template({ nameOverride: 'other' });
  for (const kind of ['Deployment', 'Service']) {
    const { metadata } = only(manifests, kind);
    expect(metadata.name).toBe('reloader-other');
    expect(metadata.labels).toMatchObject({
      'app.kubernetes.io/name': 'other',
      'app.kubernetes.io/part-of': 'reloader',
    });
  }
});

describe('as a part of another chart', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'chart-above-'));
    await mkdir(join(directory, 'templates'));
    await cp(CHART, join(directory, 'charts/reloader'), { recursive: true });
    const dependencies = [{ name: 'reloader', version: '*', condition: 'reloader.enabled' }];
    await writeFile(
      join(directory, 'Chart.yaml'),
      stringify({ apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies }),
    );
    await writeFile(
      join(directory, 'values.yaml'),
      stringify({ reloader: { enabled: true, reloader: { autoReloadAll: true } } }),
    );
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test.for([
    ['true', 'kind: Deployment'],
    ['false', ''],
  ] as const)('it is switched by a condition: %s', async ([enabled, kind]) => {
    const { status, stdout, stderr } = await runCommand(await controlPlaneBinary('helm'), [
      ...['template', 'platform', directory, '--set', `reloader.enabled=${enabled}`],
    ]);
    expect([status, stderr]).toEqual([0, '']);
    if (kind) expect(stdout).toContain(kind);
    else expect(stdout.trim()).toBe('');
  });

  test('a condition is no text', async () => {
    const { status, stderr } = await tryTemplate({ enabled: 'yes' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('enabled');
  });
});
