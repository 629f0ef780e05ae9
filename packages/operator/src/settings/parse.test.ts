import { describe, expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { FLAGS, type FlagName } from './flags.ts';
import { parseSettings } from './parse.ts';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

type Env = Record<string, string>;
const parse = (argv: readonly string[] = [], env: Env = {}): Settings =>
  parseSettings(argv, env, { podNamespace: () => undefined });
const messages = ({ notices }: Settings): string[] => notices.map(({ message }) => message);

/** Reads the setting that a flag decides. */
type Effect = (settings: Settings) => unknown;
interface Row {
  readonly read: Effect;
  readonly byDefault: unknown;
  /** A value that is not the default, and what comes of it. */
  readonly set: readonly [value: string, result: unknown];
  /** Flags that have to stand beside it for the effect to show. */
  readonly beside?: readonly string[];
  /** A value that is refused, and a part of the message. */
  readonly bad?: readonly [value: string, why: string];
  /** A value that Stakater takes although it means nothing, and what is said about it. */
  readonly odd?: readonly [value: string, result: unknown, notice?: string];
}

const NOT_BOOL = ['yes', 'must be true or false'] as const;
const bool = (read: Effect, byDefault = false): Row => ({
  read,
  byDefault,
  set: [String(!byDefault), !byDefault],
  bad: NOT_BOOL,
});
const exactlyTrue = (read: Effect): Row => ({
  read,
  byDefault: false,
  set: ['true', true],
  odd: ['TRUE', false],
});
const annotation = (name: keyof typeof DEFAULT_ANNOTATIONS): Row => ({
  read: ({ reloader }) => reloader.names[name],
  byDefault: DEFAULT_ANNOTATIONS[name],
  set: ['example.com/x', 'example.com/x'],
  bad: ['a b/c', 'name of an annotation'],
});
const choice = (read: Effect, byDefault: string, other: string): Row => ({
  read,
  byDefault,
  set: [other, other],
  bad: ['nonsense', `must be ${byDefault} or ${other}`],
});
const refused = (byDefault: string, why: string): Row => ({
  read: ({ notices }) => notices,
  byDefault: [],
  set: [byDefault, []],
  bad: ['something', why],
});

const ALERTS = ['--alert-on-reload', '--alert-webhook-url=https://hooks.test/x'];

const ROWS: Readonly<Record<FlagName, Row>> = {
  'auto-reload-all': bool(({ reloader }) => reloader.autoReloadAll),
  'reload-strategy': choice(({ reloader }) => reloader.reloadStrategy, 'env-vars', 'annotations'),
  'reload-on-create': exactlyTrue(({ reloader }) => reloader.reloadOnCreate),
  'reload-on-delete': exactlyTrue(({ reloader }) => reloader.reloadOnDelete),
  'sync-after-restart': {
    read: (settings) => messages(settings).some((message) => message.includes('always on')),
    byDefault: false,
    set: ['true', true],
    bad: NOT_BOOL,
  },
  'is-Argo-Rollouts': exactlyTrue(({ reloader }) => reloader.argoRollouts),
  'enable-csi-integration': bool(({ reloader }) => reloader.csi),
  'resources-to-ignore': {
    read: ({ reloader }) => [...reloader.ignoredSources],
    byDefault: [],
    set: ['configMaps', ['ConfigMap']],
    bad: ['configmaps,secrets', 'nothing would be left'],
  },
  'ignored-workload-types': {
    read: ({ reloader }) => [...reloader.ignoredWorkloads],
    byDefault: [],
    set: ['jobs,cronjobs', ['Job', 'CronJob']],
    odd: ['jobs,pods', [], '"pods" must be jobs or cronjobs'],
  },
  namespaces: {
    read: ({ reloader }) => reloader.namespaces,
    byDefault: [],
    set: ['a,b,a', ['a', 'b']],
    bad: ['a,B_', '"B_" is no name of a namespace'],
  },
  'namespaces-to-ignore': {
    read: ({ reloader }) => [...reloader.namespacesToIgnore],
    byDefault: [],
    set: ['a,b', ['a', 'b']],
    bad: ['"a', 'comma-separated list'],
  },
  'namespace-selector': {
    read: ({ reloader }) => reloader.namespaceSelector?.text,
    byDefault: undefined,
    set: ['team:a,env in (x,y),any:*,other=*,!not', 'team=a,env in (x,y),any,other,!not'],
    bad: ['a=b=c', 'cannot be read'],
  },
  'resource-label-selector': {
    read: ({ reloader }) => reloader.resourceLabelSelector,
    byDefault: '',
    set: ['"team:a"', 'team=a'],
    bad: ['-x', 'is not a label name'],
  },
  'webhook-url': {
    read: ({ reloader }) => reloader.webhookUrl,
    byDefault: undefined,
    set: ['http://hook.test/x', 'http://hook.test/x'],
    bad: ['hook.test', 'begins with http'],
  },
  'enable-ha': {
    read: ({ election }) => election !== undefined,
    byDefault: false,
    set: ['true', true],
    bad: NOT_BOOL,
  },
  'log-format': {
    read: ({ log }) => log.format,
    byDefault: 'text',
    set: ['json', 'json'],
    odd: ['xml', 'text', '--log-format=xml is unknown'],
  },
  'log-level': {
    read: ({ log }) => log.level,
    byDefault: 'info',
    set: ['Warning', 'warn'],
    odd: ['loud', 'info', '--log-level=loud is no level'],
  },
  'enable-pprof': {
    read: ({ pprofAddress }) => pprofAddress,
    byDefault: undefined,
    set: ['true', '127.0.0.1:6060'],
    bad: NOT_BOOL,
  },
  'pprof-addr': {
    read: ({ pprofAddress }) => pprofAddress,
    byDefault: '127.0.0.1:6060',
    beside: ['--enable-pprof'],
    set: ['0.0.0.0:7', '127.0.0.1:7'],
    bad: ['nowhere', 'must be an address'],
  },
  'auto-annotation': annotation('auto'),
  'configmap-auto-annotation': annotation('configMapAuto'),
  'secret-auto-annotation': annotation('secretAuto'),
  'configmap-annotation': annotation('configMapReload'),
  'secret-annotation': annotation('secretReload'),
  'auto-search-annotation': annotation('search'),
  'search-match-annotation': annotation('match'),
  'ignore-annotation': annotation('ignore'),
  'pause-deployment-annotation': annotation('pausePeriod'),
  'pause-deployment-time-annotation': annotation('pausedAt'),

  kubeconfig: {
    read: ({ kubeconfig }) => kubeconfig,
    byDefault: undefined,
    set: ['/tmp/config', '/tmp/config'],
  },
  'leader-elect': {
    read: ({ election }) => election?.lease,
    byDefault: undefined,
    set: ['true', { namespace: 'pod-ns', name: 'stakater-reloader-lock' }],
    bad: NOT_BOOL,
  },
  'rollout-strategy': choice(({ reloader }) => reloader.rolloutStrategy, 'rollout', 'restart'),
  'metrics-bind-address': {
    read: ({ metricsServer }) => metricsServer?.address,
    byDefault: undefined,
    set: [':8443', ':8443'],
    bad: ['x', 'must be an address'],
  },
  'metrics-secure': {
    read: ({ metricsServer }) => metricsServer?.secure,
    byDefault: true,
    beside: ['--metrics-bind-address=:8443'],
    set: ['false', false],
    bad: NOT_BOOL,
  },
  'metrics-cert-path': {
    read: ({ metricsServer }) => metricsServer?.certificate,
    byDefault: undefined,
    beside: ['--metrics-bind-address=:8443'],
    set: ['/certs', { directory: '/certs', certFile: 'tls.crt', keyFile: 'tls.key' }],
  },
  'metrics-cert-name': {
    read: ({ metricsServer }) => metricsServer?.certificate?.certFile,
    byDefault: 'tls.crt',
    beside: ['--metrics-bind-address=:8443', '--metrics-cert-path=/certs'],
    set: ['x.crt', 'x.crt'],
  },
  'metrics-cert-key': {
    read: ({ metricsServer }) => metricsServer?.certificate?.keyFile,
    byDefault: 'tls.key',
    beside: ['--metrics-bind-address=:8443', '--metrics-cert-path=/certs'],
    set: ['x.key', 'x.key'],
  },
  'enable-http2': {
    read: ({ metricsServer }) => metricsServer?.http2,
    byDefault: false,
    beside: ['--metrics-bind-address=:8443'],
    set: ['true', true],
    bad: NOT_BOOL,
  },
  'health-probe-bind-address': {
    read: ({ probeAddress }) => probeAddress,
    byDefault: undefined,
    set: [':8081', ':8081'],
    bad: [':x', 'must be an address'],
  },
  'alert-on-reload': {
    read: ({ alerts }) => alerts.global?.url.reveal(),
    byDefault: undefined,
    beside: ['--alert-webhook-url=https://hooks.test/x'],
    set: ['true', 'https://hooks.test/x'],
    bad: NOT_BOOL,
  },
  'alert-sink': {
    read: ({ alerts }) => alerts.global?.sink,
    byDefault: 'webhook',
    beside: ALERTS,
    set: ['teams', 'teams'],
    bad: ['raw', 'must be slack or teams or gchat or webhook'],
  },
  'alert-webhook-url': {
    read: ({ alerts }) => alerts.global?.url.reveal(),
    byDefault: 'https://hooks.test/x',
    beside: ALERTS,
    set: ['https://hooks.test/y', 'https://hooks.test/y'],
    bad: ['ftp://hooks.test', 'begins with http'],
  },
  'alert-additional-info': {
    read: ({ alerts }) => alerts.additionalInfo,
    byDefault: undefined,
    set: ['prod', 'prod'],
  },
  'alert-events': {
    read: ({ alerts }) => alerts.global?.events,
    byDefault: ['reloaded', 'failed', 'deferred'],
    beside: ALERTS,
    set: ['failed,reloaded', ['reloaded', 'failed']],
    bad: ['failed,restarted', '"restarted" must be reloaded or failed or deferred'],
  },
  'alert-template': {
    read: ({ alerts }) => alerts.global?.template,
    byDefault: undefined,
    beside: ALERTS,
    set: ['{{ .text }}', '{{ .text }}'],
    bad: ['{{ .text', 'must be a Go template: template:1'],
  },
  'alert-teams-format': {
    read: ({ alerts }) => alerts.global?.format,
    byDefault: undefined,
    beside: ALERTS,
    set: ['message-card', 'messageCard'],
    bad: ['card', 'must be auto or adaptive-card or message-card'],
  },
  'alert-group-window': {
    read: ({ alerts }) => alerts.groupWindowMs,
    byDefault: 2000,
    set: ['0s', 0],
    bad: ['soon', 'must be a duration'],
  },
  'alert-allowed-hosts': {
    read: ({ alerts }) => alerts.allowedHosts,
    byDefault: [],
    set: ['Hooks.slack.com,*.example.com', ['hooks.slack.com', '*.example.com']],
  },
  'alert-allow-internal': bool(({ alerts }) => alerts.allowInternal),
  'zap-log-level': {
    read: ({ log }) => log.level,
    byDefault: 'info',
    set: ['2', 'trace'],
    bad: ['loud', 'must be debug, info, error, panic or a number'],
  },
  'zap-devel': {
    read: ({ log }) => log,
    byDefault: { level: 'info', format: 'text' },
    set: ['false', { level: 'info', format: 'json' }],
    bad: NOT_BOOL,
  },
  'zap-encoder': {
    read: ({ log }) => log.format,
    byDefault: 'text',
    set: ['json', 'json'],
    bad: ['xml', 'must be'],
  },
  'zap-time-encoding': refused('iso8601', 'RFC 3339'),
  'zap-stacktrace-level': refused('', '--log-level=debug'),
  'webhook-cert-path': refused('', '--enable-admission'),
  'webhook-cert-name': refused('tls.crt', '--enable-admission'),
  'webhook-cert-key': refused('tls.key', '--enable-admission'),

  mode: choice(({ reloader }) => reloader.mode, 'reload', 'observe'),
  settle: {
    read: ({ reloader }) => reloader.settleMs,
    byDefault: 1000,
    set: ['0s', 0],
    bad: ['1', 'must be a duration'],
  },
  'settle-max': {
    read: ({ reloader }) => reloader.settleMaxMs,
    byDefault: 10_000,
    set: ['1m30s', 90_000],
    bad: ['-1s', 'must not be negative'],
  },
  'batch-window': {
    read: ({ reloader }) => reloader.batchWindowMs,
    byDefault: 0,
    set: ['5m', 300_000],
    bad: ['soon', 'must be a duration'],
  },
  'max-unfinished-rollouts': {
    read: ({ reloader }) => reloader.maxUnfinishedRollouts,
    byDefault: 0,
    set: ['25', 25],
    bad: ['-1', 'whole number'],
  },
  'warn-fan-out': {
    read: ({ reloader }) => reloader.warnFanOut,
    byDefault: 100,
    set: ['50', 50],
    bad: ['many', 'whole number'],
  },
  'reload-rate': {
    read: ({ reloader }) => reloader.reloadRate,
    byDefault: { perHour: 60, burst: 60 },
    set: ['6/20', { perHour: 6, burst: 20 }],
    bad: ['fast', 'as in 60/60'],
  },
  'rollout-deadline': {
    read: ({ reloader }) => reloader.rolloutDeadlineMs,
    byDefault: 900_000,
    set: ['5m', 300_000],
    bad: ['0s', 'must be longer than 0s'],
  },
  'key-level': bool(({ reloader }) => reloader.keyLevel),
  'cronjob-strategy': {
    read: ({ reloader }) => reloader.cronJobStrategy,
    byDefault: 'next-run',
    set: ['run', 'run'],
    bad: ['now', 'must be run or next-run'],
  },
  'finished-jobs': choice(({ reloader }) => reloader.finishedJobs, 'run', 'skip'),
  'allow-cross-namespace': bool(({ reloader }) => reloader.allowCrossNamespace),
  'namespace-defaults': bool(({ reloader }) => reloader.namespaceDefaults),
  recreate: choice(({ reloader }) => reloader.recreate, 'reload', 'ignore'),
  takeover: choice(({ reloader }) => reloader.takeover, 'adopt', 'catch-up'),
  digest: choice(({ reloader }) => reloader.digest, 'keyed', 'sha1'),
  'write-source-hash': bool(({ reloader }) => reloader.writeSourceHash),
  'reload-on-generated': bool(({ reloader }) => reloader.reloadOnGenerated),
  controllers: {
    read: ({ controllers }) => [...controllers],
    byDefault: ['reloader', 'podconfig'],
    set: ['podconfig,podconfig', ['podconfig']],
    bad: ['reloader,other', 'no controller "other"'],
  },
  'audit-log': {
    read: ({ auditLog }) => auditLog,
    byDefault: undefined,
    set: ['/var/log/reloads.jsonl', '/var/log/reloads.jsonl'],
  },
  'enable-admission': {
    read: ({ admission }) => admission,
    byDefault: undefined,
    set: ['true', { address: ':9443', name: 'reloader-admission' }],
    bad: NOT_BOOL,
  },
  'admission-bind-address': {
    read: ({ admission }) => admission?.address,
    byDefault: ':9443',
    beside: ['--enable-admission'],
    set: ['127.0.0.1:0', '127.0.0.1:0'],
    bad: ['nowhere', 'must be an address'],
  },
  'admission-name': {
    read: ({ admission }) => admission?.name,
    byDefault: 'reloader-admission',
    beside: ['--enable-admission'],
    set: ['hooks', 'hooks'],
  },
  'api-bind-address': {
    read: ({ api }) => api.server?.address,
    byDefault: undefined,
    set: [':8444', ':8444'],
    bad: ['nowhere', 'must be an address'],
  },
  'ui-bind-address': {
    read: ({ api }) => api.ui?.address,
    byDefault: undefined,
    set: [':8445', ':8445'],
    bad: ['nowhere', 'must be an address'],
  },
  'api-allowed-hosts': {
    read: ({ api }) => api.allowedHosts,
    byDefault: [],
    set: ['Reloader.example.com,other', ['reloader.example.com', 'other']],
  },
  'http-bind-address': {
    read: ({ httpAddress }) => httpAddress,
    byDefault: ':9090',
    set: ['127.0.0.1:0', '127.0.0.1:0'],
    bad: ['90900', 'must be an address'],
  },
};

const POD: Env = { POD_NAME: 'pod-0', POD_NAMESPACE: 'pod-ns' };
const rows = Object.entries(ROWS) as [FlagName, Row][];

test('every flag has a row here', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(FLAGS).sort());
});

describe.each(rows)('--%s', (name, { read, byDefault, set, beside = [], bad, odd }) => {
  const [value, result] = set;
  const isBool = FLAGS[name].type.bare !== undefined;

  test('has its default', () => expect(read(parse(beside, POD))).toEqual(byDefault));

  test('does what it says as --flag=value', () => {
    expect(read(parse([...beside, `--${name}=${value}`], POD))).toEqual(result);
  });

  test('takes --flag alone or --flag value', () => {
    const argv = isBool ? (value === 'true' ? [`--${name}`] : [`--${name}=${value}`]) : [`--${name}`, value];
    expect(read(parse([...beside, ...argv], POD))).toEqual(result);
  });

  if (bad) {
    test('refuses nonsense, naming itself, the value and what to write', () => {
      const attempt = (): Settings => parse([...beside, `--${name}=${bad[0]}`], POD);
      expect(attempt).toThrow(UsageError);
      expect(attempt).toThrow(`--${name}${FLAGS[name].type.name === 'url' ? '' : `=${bad[0]}`}: `);
      expect(attempt).toThrow(bad[1]);
    });
  }

  if (odd) {
    test('goes on, as Stakater Reloader does, with a value that means nothing', () => {
      const settings = parse([...beside, `--${name}=${odd[0]}`], POD);
      expect(read(settings)).toEqual(odd[1]);
      expect(messages(settings)).toEqual(odd[2] === undefined ? [] : [expect.stringContaining(odd[2])]);
    });
  }
});
