/** The effect of values, with real Helm. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import { controlPlaneBinary } from '../control-plane/build.ts';
import { runCommand } from '../control-plane/command.ts';
import {
  CHART,
  containerOf,
  isMap,
  type Manifest,
  merged,
  nested,
  only,
  template,
  templateText,
  tryTemplate,
  type Values,
} from './helm.ts';
import { MEANINGLESS, VALUE_CASES } from './values.ts';

/** Paths in values.yaml; a map without entries is a value itself. */
function leaves(values: Values, prefix = ''): string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    isMap(value) && Object.keys(value).length > 0 ? leaves(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

const defaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Values;

describe('every value', () => {
  const contexts = new Map<string, Promise<string>>();
  const without = (context: Values): Promise<string> => {
    const key = JSON.stringify(context);
    const known = contexts.get(key) ?? templateText(context);
    contexts.set(key, known);
    return known;
  };

  test.concurrent.for(VALUE_CASES.map((each) => [each.path, each] as const))(
    '%s changes what is installed',
    async ([path, { value, context }], { expect: check }) => {
      check(await templateText(merged(context, nested(path, value)))).not.toBe(await without(context));
    },
  );

  test('of values.yaml is in that list, or known to mean nothing', () => {
    const covered = [...VALUE_CASES.map(({ path }) => path), ...MEANINGLESS];
    const missing = leaves(defaults).filter(
      (leaf) =>
        !covered.some((path) => leaf === path || leaf.startsWith(`${path}.`) || path.startsWith(`${leaf}.`)),
    );
    expect(missing).toEqual([]);
  });

  test('in that list is in values.yaml, where users find it', () => {
    const known = leaves(defaults);
    const unknown = VALUE_CASES.map(({ path }) => path).filter(
      (path) =>
        !known.some((leaf) => leaf === path || leaf.startsWith(`${path}.`) || path.startsWith(`${leaf}.`)),
    );
    expect(unknown).toEqual([]);
  });

  test('that means nothing changes nothing', async () => {
    for (const path of MEANINGLESS) expect(await templateText(nested(path, true))).toBe(await templateText());
  });
});

describe('the program', () => {
  const environmentOf = (manifests: readonly Manifest[]): Record<string, string> =>
    Object.fromEntries(
      containerOf(manifests).env.map(({ name, value }) => [name, value ?? 'https://some.example.com']),
    );

  test.concurrent.for(VALUE_CASES.map((each) => [each.path, each] as const))(
    'understands the flags of %s',
    async ([path, { value, context }], { expect: check }) => {
      const manifests = await template(merged(context, nested(path, value)));
      const settings = parseSettings(containerOf(manifests).args, environmentOf(manifests));
      check(settings.notices.filter(({ level }) => level !== 'info')).toEqual([]);
    },
  );

  test('gets every setting that a value stands for', async () => {
    const manifests = await template({
      reloader: {
        namespaceSelector: 'team=shop,env in (test,prod)',
        resourceLabelSelector: 'a=b,!c',
        ignoreNamespaces: 'one,two',
        ignoreJobs: true,
        ignoreCronJobs: true,
        ignoreSecrets: true,
        settle: '20s',
        custom_annotations: { auto: 'mine/auto', pauseTime: 'mine/at' },
      },
    });
    const { reloader } = parseSettings(containerOf(manifests).args, {});
    expect(reloader.namespaceSelector?.text).toBe('team=shop,env in (test,prod)');
    expect(reloader.resourceLabelSelector).toBe('a=b,!c');
    expect([...reloader.namespacesToIgnore]).toEqual(['one', 'two']);
    expect([...reloader.ignoredWorkloads].sort()).toEqual(['CronJob', 'Job']);
    expect([...reloader.ignoredSources]).toEqual(['Secret']);
    expect(reloader.settleMs).toBe(20_000);
    expect(reloader.settleMaxMs).toBe(20_000);
    expect(reloader.names).toMatchObject({ auto: 'mine/auto', pausedAt: 'mine/at' });
  });

  test.for([
    ['160MiB', 160],
    ['1GiB', 1024],
    ['256Mi', 256],
    ['167772160', 160],
  ] as const)('gets gomemlimitOverride %s as a heap of %i MiB', async ([given, size]) => {
    const { env } = containerOf(await template(nested('reloader.deployment.gomemlimitOverride', given)));
    expect(env).toContainEqual({ name: 'NODE_OPTIONS', value: `--max-old-space-size=${size}` });
  });

  test('reaches the API server where kubernetes.host says', async () => {
    const { env } = containerOf(await template({ kubernetes: { host: 'https://[fd00::1]:6443' } }));
    expect(env).toContainEqual({ name: 'KUBERNETES_SERVICE_HOST', value: 'fd00::1' });
    expect(env).toContainEqual({ name: 'KUBERNETES_SERVICE_PORT', value: '6443' });
  });

  test('elects a leader where there are several replicas, whatever enableHA says', async () => {
    const manifests = await template(nested('reloader.deployment.replicas', 2));
    expect(parseSettings(containerOf(manifests).args, environmentOf(manifests)).election).toBeDefined();
    expect(JSON.stringify(only(manifests, 'Role', 'reloader-reloader').rules)).toContain(
      'stakater-reloader-lock',
    );
  });
});

describe('a wrong value is refused with its name', () => {
  test.concurrent.for([
    ['reloader.logLevel', 'loud', 'reloader/logLevel'],
    ['reloader.logFormat', 'xml', 'reloader/logFormat'],
    ['reloader.reloadStrategy', 'magic', 'reloader/reloadStrategy'],
    ['reloader.autoReloadAll', 'yes', 'reloader/autoReloadAll'],
    ['reloader.settle', 'soon', 'reloader/settle'],
    ['reloader.controllers', ['other'], 'reloader/controllers'],
    ['reloader.mode', 'off', 'reloader/mode'],
    ['reloader.maxUnfinishedRollouts', -1, 'reloader/maxUnfinishedRollouts'],
    ['reloader.namespaces', ['Not A Name'], 'reloader/namespaces'],
    ['reloader.webhookUrl', 'ftp://x', 'reloader/webhookUrl'],
    ['reloader.custom_annotations', { other: 'x' }, 'other'],
    ['reloader.deployment.replicas', 'two', 'reloader/deployment/replicas'],
    ['reloader.deployment.gomemlimitOverride', 'much', 'reloader/deployment/gomemlimitOverride'],
    ['reloader.deployment.env.open', ['A=b'], 'reloader/deployment/env/open'],
    ['reloader.service.port', 70_000, 'reloader/service/port'],
    ['reloader.extraArgs', ['settle=1s'], 'reloader/extraArgs'],
    ['reloader.alerts.sink', 'pigeon', 'reloader/alerts/sink'],
    ['reloader.podDisruptionBudget.minAvailable', 'most', 'reloader/podDisruptionBudget/minAvailable'],
    ['reloader.autoReloadAl', true, 'autoReloadAl'],
    ['image.digest', 'latest', 'image/digest'],
    ['image.pullPolicy', 'Sometimes', 'image/pullPolicy'],
    ['kubernetes.host', 'kubernetes.default', 'kubernetes/host'],
    ['crds.instal', true, 'instal'],
    ['fullnameOverride', 'Not_A_Name', 'fullnameOverride'],
    ['replicas', 2, 'replicas'],
  ] as const)('%s', async ([path, value, named], { expect: check }) => {
    const { status, stderr } = await tryTemplate(nested(path, value));
    check(status).not.toBe(0);
    check(stderr).toContain(named);
  });

  test.concurrent.for([
    [{ reloader: { namespaces: ['one'] } }, 'reloader.watchGlobally'],
    [{ reloader: { ignoreSecrets: true, ignoreConfigMaps: true } }, 'reloader.ignoreSecrets'],
    [{ reloader: { watchGlobally: false, namespaceSelector: 'a=b' } }, 'reloader.namespaceSelector'],
    [{ reloader: { serviceAccount: { create: false } } }, 'reloader.serviceAccount.name'],
    [{ reloader: { alerts: { enabled: true } } }, 'reloader.alerts.webhookUrl'],
    [
      { reloader: { podDisruptionBudget: { enabled: true, minAvailable: 1, maxUnavailable: 1 } } },
      'podDisruptionBudget',
    ],
  ] as const)('where values exclude each other: %o', async ([values, named], { expect: check }) => {
    const { status, stderr } = await tryTemplate(values);
    check(status).not.toBe(0);
    check(stderr).toContain(named);
  });
});

describe('the manifests', () => {
  let everything: readonly Manifest[];
  beforeAll(async () => {
    everything = await template({ fullnameOverride: 'reloader' });
  });

  test('have the names of the documentation', () => {
    const names = everything.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    for (const kind of ['Deployment', 'Service', 'ServiceAccount', 'Role', 'RoleBinding'])
      expect(names).toContain(`${kind} reloader`);
  });

  test('pass the restricted pod security standard', () => {
    const { spec } = only(everything, 'Deployment') as { spec: { template: { spec: object } } };
    expect(spec.template.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
  });

  test('keep the definitions when the release goes', () => {
    const { metadata } = only(everything, 'CustomResourceDefinition');
    expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  });

  test('in namespaces of their own hold no right beyond them', async () => {
    const manifests = await template({
      reloader: { watchGlobally: false, namespaces: ['one', 'two'], rbac: { userRoles: { create: false } } },
    });
    const roles = manifests.filter(({ kind }) => kind.endsWith('Role'));
    expect(
      roles.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`).sort(),
    ).toEqual([
      'Role one/reloader-reloader-role',
      'Role reloader/reloader-reloader',
      'Role two/reloader-reloader-role',
    ]);
  });

  test('let the network policy reach names and the API server', async () => {
    const { spec } = only(await template(nested('reloader.netpol.enabled', true)), 'NetworkPolicy');
    const { egress } = spec as { egress: { ports: { port: number; protocol?: string }[]; to?: object }[] };
    expect(egress.flatMap(({ ports }) => ports)).toEqual([
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
      { port: 443 },
      { port: 6443 },
    ]);
    expect(egress.every(({ to }) => to === undefined)).toBe(true);
  });

  test.for(['reader', 'observe', 'webhook'] as const)(
    'of %s mode may change nothing of users',
    async (mode) => {
      const values = {
        reader: { mode: 'observe', ignoreJobs: true },
        observe: { mode: 'observe' },
        webhook: { webhookUrl: 'https://hooks.example.com' },
      }[mode];
      const { rules = [] } = only(
        await template({ reloader: values }),
        'ClusterRole',
        'reloader-reloader-role',
      );
      const writes = rules
        .filter(
          ({ resources = [] }) => !resources.some((name) => name === 'events' || name.endsWith('/status')),
        )
        .flatMap(({ verbs }) => verbs)
        .filter((verb) => !['get', 'list', 'watch'].includes(verb));
      expect(writes).toEqual([]);
    },
  );
});

test('Helm finds nothing to complain about', async () => {
  const { status, stdout } = await runCommand(await controlPlaneBinary('helm'), ['lint', '--strict', CHART]);
  expect(stdout).toContain('0 chart(s) failed');
  expect(stdout).not.toMatch(/\[(WARNING|INFO)\]/);
  expect(status).toBe(0);
});
