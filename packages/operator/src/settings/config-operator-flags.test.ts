/** Flags of the ReloaderConfig operator. */
import { CONFIG_OPERATOR_FLAGS } from './config-operator-flags.ts';
import { choice, NOT_BOOL, type Row, refused, testFlags } from './flags.test.support.ts';

const ALERTS = ['--alert-on-reload', '--alert-webhook-url=https://hooks.test/x'];

const ROWS: Readonly<Record<keyof typeof CONFIG_OPERATOR_FLAGS, Row>> = {
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
};

testFlags(CONFIG_OPERATOR_FLAGS, ROWS);
