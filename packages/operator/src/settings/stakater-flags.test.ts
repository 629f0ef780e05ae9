/** Flags of Stakater Reloader: names, defaults and odd values as there. */

import {
  annotation,
  bool,
  choice,
  exactlyTrue,
  messages,
  NOT_BOOL,
  type Row,
  testFlags,
} from './flags.test.support.ts';
import { STAKATER_FLAGS } from './stakater-flags.ts';

const ROWS: Readonly<Record<keyof typeof STAKATER_FLAGS, Row>> = {
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
};

testFlags(STAKATER_FLAGS, ROWS);
