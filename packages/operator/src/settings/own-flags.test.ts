/** Flags that this operator adds. */

import { bool, choice, NOT_BOOL, type Row, testFlags } from './flags.test.support.ts';
import { OWN_FLAGS } from './own-flags.ts';

const ALERTS = ['--alert-on-reload', '--alert-webhook-url=https://hooks.test/x'];

const ROWS: Readonly<Record<keyof typeof OWN_FLAGS, Row>> = {
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
  'restore-config-maps': bool(({ reloader }) => reloader.restoreConfigMaps),
  verify: bool(({ reloader }) => reloader.verify),
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
  'ui-host': {
    read: ({ api }) => api.allowedHosts,
    byDefault: ['proxy.example.com'],
    beside: ['--api-allowed-hosts=proxy.example.com'],
    set: ['Reloader.example.com', ['proxy.example.com', 'reloader.example.com']],
  },
  'http-bind-address': {
    read: ({ httpAddress }) => httpAddress,
    byDefault: ':9090',
    set: ['127.0.0.1:0', '127.0.0.1:0'],
    bad: ['90900', 'must be an address'],
  },
};

testFlags(OWN_FLAGS, ROWS);
