/** Combinations of flags and environment variables. */
import { describe, expect, test } from 'vitest';
import { parseSettings } from './parse.ts';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

type Env = Record<string, string>;
const parse = (argv: readonly string[] = [], env: Env = {}, podNamespace?: string): Settings =>
  parseSettings(argv, env, { podNamespace: () => podNamespace });
const messages = ({ notices }: Settings): string[] => notices.map(({ message }) => message);

describe('namespaces', () => {
  test('KUBERNETES_NAMESPACE names one', () => {
    expect(parse([], { KUBERNETES_NAMESPACE: 'a' }).reloader.namespaces).toEqual(['a']);
  });

  test('--namespaces wins over KUBERNETES_NAMESPACE', () => {
    expect(parse(['--namespaces=b,c'], { KUBERNETES_NAMESPACE: 'a' }).reloader.namespaces).toEqual([
      'b',
      'c',
    ]);
  });

  test('an empty KUBERNETES_NAMESPACE is none', () => {
    expect(parse([], { KUBERNETES_NAMESPACE: '' }).reloader.namespaces).toEqual([]);
  });

  test('one that cannot exist is refused', () => {
    expect(() => parse([], { KUBERNETES_NAMESPACE: 'A b' })).toThrow(/KUBERNETES_NAMESPACE=A b/);
  });

  test('filters of all namespaces are dropped where only some are watched, and the log says so', () => {
    const settings = parse(['--namespaces=a', '--namespaces-to-ignore=b', '--namespace-selector=x=y']);
    expect([...settings.reloader.namespacesToIgnore]).toEqual([]);
    expect(settings.reloader.namespaceSelector).toBeUndefined();
    expect(messages(settings)).toEqual([
      expect.stringContaining('--namespaces-to-ignore is not used'),
      expect.stringContaining('--namespace-selector is not used'),
    ]);
  });

  test('a selector compiles to one that matches', () => {
    const { namespaceSelector } = parse([
      '--namespace-selector=team:a',
      '--namespace-selector=env:*',
    ]).reloader;
    expect(namespaceSelector?.matches({ team: 'a', env: 'x' })).toBe(true);
    expect(namespaceSelector?.matches({ team: 'a' })).toBe(false);
  });
});

describe('our own objects', () => {
  test('are in RELOADER_NAMESPACE, with the name RELOADER_DEPLOYMENT_NAME', () => {
    const env = { RELOADER_NAMESPACE: 'ops', POD_NAMESPACE: 'pod-ns', RELOADER_DEPLOYMENT_NAME: 'rl' };
    expect(parse([], env).reloader).toMatchObject({ operatorNamespace: 'ops', operatorName: 'rl' });
  });

  test.each([
    [{ POD_NAMESPACE: 'pod-ns' }, 'file-ns', 'pod-ns'],
    [{}, 'file-ns', 'file-ns'],
    [{}, undefined, 'default'],
  ])('or else with the pod: %j and file %s', (env, file, namespace) => {
    expect(parse([], env as Env, file).reloader).toMatchObject({
      operatorNamespace: namespace,
      operatorName: 'reloader',
    });
  });
});

describe('election', () => {
  test("--enable-ha uses Stakater's lease in the namespace of the pod", () => {
    const env = { POD_NAME: 'p-0', POD_NAMESPACE: 'pod-ns', RELOADER_NAMESPACE: 'ops' };
    expect(parse(['--enable-ha'], env).election).toEqual({
      lease: { namespace: 'pod-ns', name: 'stakater-reloader-lock' },
      podName: 'p-0',
    });
  });

  test.each([[{}], [{ POD_NAME: 'p' }], [{ POD_NAMESPACE: 'n' }]])(
    '--enable-ha is refused with only %j',
    (env) => {
      expect(() => parse(['--enable-ha'], env as Env)).toThrow(/POD_NAME and POD_NAMESPACE/);
    },
  );

  test('--leader-elect does without either', () => {
    expect(parse(['--leader-elect'], { RELOADER_NAMESPACE: 'ops' }).election).toEqual({
      lease: { namespace: 'ops', name: 'stakater-reloader-lock' },
      podName: undefined,
    });
  });
});

describe('settling', () => {
  test('a longer --settle raises the maximum', () => {
    expect(parse(['--settle=30s']).reloader).toMatchObject({ settleMs: 30_000, settleMaxMs: 30_000 });
  });

  test('a maximum that is shorter is refused where it was written', () => {
    expect(() => parse(['--settle=30s', '--settle-max=10s'])).toThrow(/--settle-max must not be shorter/);
  });
});

describe('the log', () => {
  test.each([
    [['--log-level=error', '--zap-log-level=debug', '--zap-devel'], 'error', 'text'],
    [['--zap-log-level=debug'], 'debug', 'text'],
    [['--log-level=info', '--zap-log-level=debug'], 'info', 'text'],
    [['--zap-log-level=1'], 'debug', 'text'],
    [['--zap-devel'], 'debug', 'text'],
    [['--zap-devel=false'], 'info', 'json'],
    [['--zap-devel=false', '--zap-encoder=console'], 'info', 'text'],
    [['--zap-encoder=json', '--log-format='], 'info', 'text'],
    [['--log-level=panic', '--log-format=json'], 'error', 'json'],
    [['--log-level=TRACE'], 'trace', 'text'],
  ])('%j', (argv, level, format) => {
    expect(parse(argv).log).toEqual({ level, format });
  });
});

describe('alerts', () => {
  const url = 'https://hooks.test/x';

  test.each([
    ['slack', 'slack'],
    [' Teams ', 'teams'],
    ['gchat', 'gchat'],
    ['webhook', 'raw'],
    ['', 'raw'],
  ])('ALERT_SINK=%s sends the shape %s', (sink, shape) => {
    const env = { ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: url, ALERT_SINK: sink };
    expect(parse([], env).alerts.global).toMatchObject({ sink: shape, words: 'stakater' });
  });

  test('--alert-sink wins over ALERT_SINK', () => {
    const argv = ['--alert-on-reload', `--alert-webhook-url=${url}`, '--alert-sink=webhook'];
    expect(parse(argv, { ALERT_SINK: 'teams' }).alerts.global?.sink).toBe('webhook');
  });

  test('alerts turned on by flag take a sink from the environment, in our words', () => {
    const argv = ['--alert-on-reload', `--alert-webhook-url=${url}`];
    expect(parse(argv, { ALERT_SINK: 'gchat' }).alerts.global).toMatchObject({
      sink: 'gchat',
      words: 'cards',
    });
  });

  test('the environment gives proxy and additional text', () => {
    const env = {
      ALERT_ON_RELOAD: 'true',
      ALERT_WEBHOOK_URL: ` ${url} `,
      ALERT_WEBHOOK_PROXY: 'http://proxy.test:3128',
      ALERT_ADDITIONAL_INFO: 'prod',
    };
    const { alerts } = parse([], env);
    expect(alerts.global?.url.reveal()).toBe(url);
    expect(proxyOf(alerts)).toBe('http://proxy.test:3128');
    expect(alerts.additionalInfo).toBe('prod');
    expect(parse(['--alert-additional-info=test'], env).alerts.additionalInfo).toBe('test');
  });

  test('by environment only success is reported, each separately, unless a flag says otherwise', () => {
    const env = { ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: url };
    expect(parse([], env).alerts.global).toMatchObject({ events: ['reloaded'], grouped: false });
    const flags = ['--alert-events=failed', '--alert-group-window=5s'];
    expect(parse(flags, env).alerts.global).toMatchObject({ events: ['failed'], grouped: true });
  });

  test('proxy and additional text hold for ReloaderConfigs, too', () => {
    const env = { ALERT_WEBHOOK_PROXY: 'proxy.test:3128', ALERT_ADDITIONAL_INFO: 'prod' };
    const { alerts, notices } = parse([], env);
    expect(alerts.global).toBeUndefined();
    expect(proxyOf(alerts)).toBe('http://proxy.test:3128');
    expect(alerts.additionalInfo).toBe('prod');
    expect(notices).toEqual([]);
  });

  test.each(['socks5://user:hunter22@proxy.test', 'http://'])(
    'the proxy %s is an error in the log',
    (proxy) => {
      const settings = parse([], { ALERT_WEBHOOK_PROXY: proxy });
      expect(settings.alerts.proxy).toBe('unusable');
      expect(messages(settings)).toEqual([expect.stringContaining('ALERT_WEBHOOK_PROXY must be a URL')]);
      expect(messages(settings).join()).not.toContain('hunter22');
    },
  );

  test('only the exact word true in ALERT_ON_RELOAD turns them on', () => {
    const env = { ALERT_ON_RELOAD: 'True', ALERT_WEBHOOK_URL: url };
    expect(parse([], env).alerts.global).toBeUndefined();
  });

  test('--alert-on-reload=false wins over ALERT_ON_RELOAD', () => {
    const env = { ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: url };
    expect(parse(['--alert-on-reload=false'], env).alerts.global).toBeUndefined();
  });

  test('by flag they need a URL', () => {
    expect(() => parse(['--alert-on-reload'])).toThrow(/add --alert-webhook-url=URL/);
  });

  test('by environment a missing or bad URL is an error in the log, and it runs', () => {
    expect(messages(parse([], { ALERT_ON_RELOAD: 'true' }))).toEqual([
      expect.stringContaining('no usable ALERT_WEBHOOK_URL'),
    ]);
    const bad = parse([], { ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: 'token-123' });
    expect(bad.alerts.global).toBeUndefined();
    expect(messages(bad).join()).not.toContain('token-123');
  });

  test('no URL is ever shown with the settings', () => {
    const env = {
      ALERT_ON_RELOAD: 'true',
      ALERT_WEBHOOK_URL: url,
      ALERT_WEBHOOK_PROXY: 'http://me:pw@p.test',
    };
    expect(JSON.stringify(parse([], env).alerts)).not.toMatch(/hooks|p\.test/);
  });
});

function proxyOf({ proxy }: ReturnType<typeof parse>['alerts']): string | undefined {
  return typeof proxy === 'object' ? proxy.reveal() : proxy;
}

test('METRICS_COUNT_BY_NAMESPACE must be the word enabled', () => {
  expect(parse([], { METRICS_COUNT_BY_NAMESPACE: 'enabled' }).metricsByNamespace).toBe(true);
  expect(parse([], { METRICS_COUNT_BY_NAMESPACE: 'true' }).metricsByNamespace).toBe(false);
});

describe('addresses', () => {
  test('0 is none', () => {
    const settings = parse(['--metrics-bind-address=0', '--health-probe-bind-address=0']);
    expect(settings).toMatchObject({ metricsServer: undefined, probeAddress: undefined });
  });

  test('plain metrics and probes at our own address need no server of their own', () => {
    const argv = [
      '--metrics-bind-address=:9090',
      '--metrics-secure=false',
      '--health-probe-bind-address=:9090',
    ];
    expect(parse(argv)).toMatchObject({ metricsServer: undefined, probeAddress: undefined });
  });

  test.each([
    [
      ['--metrics-bind-address=:9090'],
      '--metrics-bind-address=:9090: port 9090 is that of --http-bind-address',
    ],
    [['--health-probe-bind-address=:81', '--metrics-bind-address=:81'], 'port 81 is that of --health-probe'],
    [['--enable-pprof', '--pprof-addr=127.0.0.1:9090'], '--pprof-addr=127.0.0.1:9090: port 9090'],
    [['--api-bind-address=:9090'], '--api-bind-address=:9090: port 9090 is that of --http-bind-address'],
  ])('two servers cannot share a port: %j', (argv, message) => {
    expect(() => parse(argv)).toThrow(message);
  });
});

describe('profiles are for loopback', () => {
  test.each([
    [':6061', '127.0.0.1:6061', false],
    ['127.0.0.2:6061', '127.0.0.1:6061', false],
    ['localhost:6061', '127.0.0.1:6061', false],
    ['[::1]:6061', '[::1]:6061', false],
    ['0.0.0.0:6061', '127.0.0.1:6061', true],
    ['10.1.2.3:6061', '127.0.0.1:6061', true],
    ['[::]:6061', '127.0.0.1:6061', true],
  ])('%s is listened on as %s', (given, used, told) => {
    const settings = parse(['--enable-pprof', `--pprof-addr=${given}`]);
    expect(settings.pprofAddress).toBe(used);
    expect(messages(settings)).toEqual(told ? [expect.stringContaining('on loopback only')] : []);
  });
});

test('a URL is not repeated in a message: it may hold a token', () => {
  expect(() => parse(['--webhook-url=token-123'])).toThrow(/^--webhook-url: must be a URL/);
});

describe('the command line', () => {
  test.each([
    [['--setle=1s'], 'Unknown flag --setle: did you mean --settle?'],
    [['--is-argo-rollouts=true'], 'Unknown flag --is-argo-rollouts: did you mean --is-Argo-Rollouts?'],
    [['--something-else'], 'Unknown flag --something-else: see reloader --help'],
    [['-x'], 'Unknown flag -x: see reloader --help'],
    [['--__proto__=1'], 'Unknown flag --__proto__'],
    [['--settle'], '--settle needs a value (duration)'],
    [['--enable-ha', 'false'], 'Unexpected argument "false": write --enable-ha=false'],
    [['stray'], 'Unexpected argument "stray": flags are written --name=value'],
    [['--', 'stray'], 'Unexpected argument "stray"'],
    [['---settle=1s'], 'Unexpected argument "---settle=1s"'],
  ])('%j is refused', (argv, message) => {
    expect(() => parse(argv)).toThrow(UsageError);
    expect(() => parse(argv)).toThrow(message);
  });

  test('the last use counts', () => {
    expect(parse(['--settle=1s', '--settle', '2s']).reloader.settleMs).toBe(2000);
  });

  test('lists add up, and double quotes protect commas', () => {
    const argv = ['--namespaces=a', '--namespaces', 'b,"c"'];
    expect(parse(argv).reloader.namespaces).toEqual(['a', 'b', 'c']);
    const quoted = parse(['--namespace-selector="env in (x,y)",team=a']);
    expect(quoted.reloader.namespaceSelector?.text).toBe('env in (x,y),team=a');
  });

  test('one dash before a long name is enough, as with Go', () => {
    expect(parse(['-leader-elect', '-settle', '5s'])).toMatchObject({ reloader: { settleMs: 5000 } });
  });

  test('a text boolean takes the next word, but not the next flag', () => {
    expect(parse(['--reload-on-create', 'true', '--auto-reload-all']).reloader).toMatchObject({
      reloadOnCreate: true,
      autoReloadAll: true,
    });
    expect(parse(['--reload-on-create', 'false']).reloader.reloadOnCreate).toBe(false);
    expect(parse(['--reload-on-create', '--auto-reload-all']).reloader).toMatchObject({
      reloadOnCreate: true,
      autoReloadAll: true,
    });
  });

  test('a value may begin with a dash or hold an equals sign', () => {
    expect(parse(['--kubeconfig', '-odd=name']).kubeconfig).toBe('-odd=name');
    expect(parse(['--kubeconfig=a=b']).kubeconfig).toBe('a=b');
  });
});
