/** Mistakes in annotations. */
import { auto, BOTH, list, type Mistake, namespace, P, source, workload } from './objects.ts';

export const ANNOTATION_MISTAKES: readonly Mistake[] = [
  {
    what: 'a letter too many in auto',
    rule: 'unknown-annotation',
    objects: [workload({ annotations: { [`${P}/autoo`]: 'true' } })],
  },
  {
    what: 'auto in capitals',
    rule: 'unknown-annotation',
    objects: [workload({ annotations: { [`${P}/Auto`]: 'true' } })],
  },
  {
    what: 'stackater',
    rule: 'unknown-annotation',
    objects: [workload({ annotations: { 'reloader.stackater.com/auto': 'true' } })],
  },
  {
    what: 'realoader',
    rule: 'unknown-annotation',
    objects: [workload({ annotations: { 'realoader.stakater.com/auto': 'true' } })],
  },
  {
    what: 'secrets for secret',
    rule: 'unknown-annotation',
    objects: [workload({ annotations: { [`secrets.${P}/reload`]: 'app-secret' } })],
  },
  {
    what: 'the exclusion in the singular',
    rule: 'unknown-annotation',
    objects: [workload({ annotations: { ...auto, [`secret.exclude.${P}/reload`]: 'app-secret' } })],
  },
  {
    what: 'an underscore for the hyphen',
    rule: 'unknown-annotation',
    objects: [workload({ annotations: { [`${P}/batch_window`]: '5m' } })],
  },
  {
    what: 'auto without quotes',
    rule: 'not-a-string',
    objects: [workload({ annotations: { [`${P}/auto`]: true } })],
  },
  {
    what: 'auto without a value',
    rule: 'not-a-string',
    objects: [workload({ annotations: { [`${P}/auto`]: null } })],
  },
  { what: 'auto: yes', rule: 'bad-boolean', objects: [workload({ annotations: { [`${P}/auto`]: 'yes' } })] },
  {
    what: 'search: True',
    rule: 'bad-boolean',
    objects: [workload({ annotations: { [`${P}/search`]: 'True' } })],
  },
  {
    what: 'match: yes on a Secret',
    rule: 'bad-boolean',
    objects: [source('Secret', 'app-secret', { [`${P}/match`]: 'yes' })],
  },
  {
    what: 'freeze: on',
    rule: 'bad-freeze',
    objects: [workload({ annotations: { ...auto, [`${P}/freeze`]: 'on' } })],
  },
  {
    what: 'freeze until Friday',
    rule: 'bad-freeze',
    objects: [workload({ annotations: { ...auto, [`${P}/freeze`]: 'friday' } })],
  },
  {
    what: 'approval with a typing error',
    rule: 'unknown-value',
    objects: [workload({ annotations: { ...auto, [`${P}/approval`]: 'require' } })],
  },
  {
    what: 'a rate in words',
    rule: 'bad-rate',
    objects: [workload({ annotations: { ...auto, [`${P}/rate-limit`]: '6 per hour' } })],
  },
  {
    what: 'restarts in words',
    rule: 'bad-number',
    objects: [
      workload({ annotations: { ...auto, [`${P}/verify`]: 'true', [`${P}/verify-max-restarts`]: 'few' } }),
    ],
  },
  {
    what: 'an end of a failure that there is not',
    rule: 'unknown-value',
    objects: [workload({ annotations: { ...auto, [`${P}/on-failure`]: 'undo' } })],
  },
  {
    what: 'a wave in words',
    rule: 'bad-wave',
    objects: [workload({ annotations: { ...auto, [`${P}/wave`]: 'first' } })],
  },
  {
    what: 'a condition with a slip of the pen',
    rule: 'bad-condition',
    objects: [workload({ annotations: { ...auto, [`${P}/condition`]: 'source.lables.env == "prod"' } })],
  },
  {
    what: 'a format that nobody reads',
    rule: 'bad-format',
    objects: [source('ConfigMap', 'settings', { [`${P}/format`]: 'app.toml=toml' })],
  },
  {
    what: 'keys that have to be there, on a workload',
    rule: 'wrong-object',
    objects: [workload({ annotations: { ...auto, [`${P}/required-keys`]: 'a' } })],
  },
  {
    what: 'a content that its annotation does not allow',
    rule: 'invalid-content',
    objects: [
      { ...source('ConfigMap', 'settings', { [`${P}/format`]: 'app.json=json' }), data: { 'app.json': '{' } },
    ],
  },
  {
    what: 'a key that its annotation asks for',
    rule: 'invalid-content',
    objects: [
      { ...source('Secret', 'db', { [`${P}/required-keys`]: 'user,password' }), stringData: { user: 'a' } },
    ],
  },
  {
    what: 'a share of a Namespace',
    rule: 'bad-budget',
    objects: [namespace({ [`${P}/max-concurrent`]: '25%' })],
  },
  {
    what: 'a window with a nickname',
    rule: 'bad-window',
    objects: [
      workload({ annotations: { ...auto, [`${P}/sync-windows`]: '[{schedule: "@daily", duration: 1h}]' } }),
    ],
  },
  {
    what: 'a window that never opens',
    rule: 'bad-window',
    objects: [
      namespace({
        [`${P}/sync-windows`]: '[{from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z"}]',
      }),
    ],
  },
  {
    what: 'windows of a Namespace and of a workload without a common moment',
    rule: 'bad-window',
    objects: [
      namespace({ [`${P}/sync-windows`]: '[{schedule: "0 2 * * *", duration: 1h}]' }),
      workload({
        annotations: { ...auto, [`${P}/sync-windows`]: '[{schedule: "0 5 * * *", duration: 1h}]' },
      }),
    ],
  },
  {
    what: 'a freeze until a day that does not exist',
    rule: 'bad-freeze',
    objects: [workload({ annotations: { ...auto, [`${P}/freeze`]: '2026-02-30T00:00:00Z' } })],
  },
  {
    what: 'a restart window without a zone',
    rule: 'bad-window',
    objects: [
      workload({
        annotations: {
          ...auto,
          [`${P}/restart-window`]: '{"windows":[{"cron":"0 0 * * *","duration":"1h"}]}',
        },
      }),
    ],
  },
  {
    what: 'windows on a ConfigMap',
    rule: 'wrong-object',
    objects: [source('ConfigMap', 'app-config', { [`${P}/sync-windows`]: '[]' })],
  },
  {
    what: 'match: true on a workload',
    rule: 'wrong-object',
    objects: [workload({ annotations: { [`${P}/match`]: 'true' } })],
  },
  { what: 'auto on a Secret', rule: 'wrong-object', objects: [source('Secret', 'app-secret', auto)] },
  {
    what: 'a list on a ConfigMap',
    rule: 'wrong-object',
    objects: [source('ConfigMap', 'app-config', list('configmap', 'app-config'))],
  },
  {
    what: 'search on a Secret',
    rule: 'wrong-object',
    objects: [source('Secret', 'app-secret', { [`${P}/search`]: 'true' })],
  },
  {
    what: 'auto on a Service',
    rule: 'wrong-object',
    objects: [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', annotations: auto } }],
  },
  {
    what: 'auto on a bare Pod',
    rule: 'wrong-object',
    objects: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', annotations: auto } }],
  },
  {
    what: 'an exclusion on the pod template',
    rule: 'wrong-object',
    objects: [workload({ annotations: auto, template: { [`secrets.exclude.${P}/reload`]: 'app-secret' } })],
  },
  {
    what: 'freeze on a ConfigMap',
    rule: 'wrong-object',
    objects: [source('ConfigMap', 'app-config', { [`${P}/freeze`]: 'true' })],
  },
  {
    what: 'allow-from on a workload',
    rule: 'wrong-object',
    objects: [workload({ annotations: { ...auto, [`${P}/allow-from`]: 'tools' } })],
  },
  {
    what: 'a pause of Deployments on a StatefulSet',
    rule: 'wrong-kind',
    objects: [
      workload({ kind: 'StatefulSet', annotations: { ...auto, [`deployment.${P}/pause-period`]: '5m' } }),
    ],
  },
  { what: 'auto as a label', rule: 'not-an-annotation', objects: [workload({ labels: auto })] },
  {
    what: 'annotation for annotations',
    rule: 'not-an-annotation',
    objects: [workload({ more: { annotation: auto } })],
  },
  {
    what: 'a ledger in a manifest',
    rule: 'written-by-operator',
    objects: [workload({ annotations: { ...auto, [`${P}/ledger`]: '{"v":1}' } })],
  },
  {
    what: 'five minutes in words',
    rule: 'bad-duration',
    objects: [workload({ annotations: { ...auto, [`${P}/settle`]: '5 minutes' } })],
  },
  {
    what: 'a number without a unit',
    rule: 'bad-duration',
    objects: [workload({ annotations: { ...auto, [`${P}/batch-window`]: '30' } })],
  },
  {
    what: 'a negative settling',
    rule: 'bad-duration',
    objects: [workload({ annotations: { ...auto, [`${P}/settle`]: '-5s' } })],
  },
  {
    what: 'a pause of nothing',
    rule: 'bad-duration',
    objects: [workload({ annotations: { ...auto, [`deployment.${P}/pause-period`]: '0s' } })],
  },
  {
    what: 'rollout-strategy: recreate',
    rule: 'unknown-value',
    objects: [workload({ annotations: { ...auto, [`${P}/rollout-strategy`]: 'recreate' } })],
  },
  {
    what: 'keys: mounted',
    rule: 'unknown-value',
    objects: [workload({ annotations: { ...auto, [`${P}/keys`]: 'mounted' } })],
  },
  {
    what: 'a kind that is none',
    rule: 'unknown-value',
    objects: [workload({ annotations: { ...auto, [`${P}/match`]: 'configmap|deployment' } })],
  },
  {
    what: 'spaces in a list',
    rule: 'bad-list',
    objects: [workload({ annotations: list('secret', 'app-secret other-secret') })],
  },
  {
    what: 'semicolons in a list',
    rule: 'bad-list',
    objects: [workload({ annotations: list('secret', 'app-secret;other') })],
  },
  {
    what: 'a JSON list',
    rule: 'bad-list',
    objects: [workload({ annotations: list('secret', '["app-secret"]') })],
  },
  {
    what: 'brackets around a name',
    rule: 'bad-list',
    objects: [workload({ annotations: list('secret', '[app-secret]') })],
  },
  {
    what: 'a kind in a list',
    rule: 'bad-list',
    objects: [workload({ annotations: list('secret', 'secret/app-secret') })],
  },
  {
    what: 'a namespace in a list',
    rule: 'bad-list',
    objects: [workload({ annotations: list('configmap', 'shop/app-config') })],
  },
  { what: 'a star alone', rule: 'bad-list', objects: [workload({ annotations: list('secret', '*') })] },
  {
    what: 'a pattern of a shell',
    rule: 'bad-list',
    objects: [workload({ annotations: list('configmap', 'app-*') })],
  },
  {
    what: 'an expression that is none',
    rule: 'bad-list',
    objects: [workload({ annotations: list('configmap', 'app-(.*') })],
  },
  {
    what: 'a name in capitals',
    rule: 'bad-list',
    objects: [workload({ annotations: list('secret', 'App_Secret') })],
  },
  {
    what: 'an expression in an exclusion',
    rule: 'bad-list',
    objects: [workload({ annotations: { ...auto, [`secrets.exclude.${P}/reload`]: 'app-.*' } })],
  },
  { what: 'an empty list', rule: 'empty', objects: [workload({ annotations: list('secret', ' , ') })] },
  {
    what: 'a ConfigMap in the list of Secrets',
    rule: 'wrong-list',
    objects: [workload({ annotations: list('secret', 'app-config') }), ...BOTH],
  },
  {
    what: 'a Secret in the list of ConfigMaps',
    rule: 'wrong-list',
    objects: [workload({ annotations: list('configmap', 'app-secret') }), ...BOTH],
  },
  {
    what: 'an expression that matches nothing',
    rule: 'matches-nothing',
    objects: [workload({ annotations: list('configmap', 'web-.*') }), ...BOTH],
  },
  {
    what: 'half of a name as an expression',
    rule: 'matches-nothing',
    objects: [workload({ annotations: list('configmap', 'app-conf(ig-v2)') }), ...BOTH],
  },
  {
    what: 'a name with a letter missing',
    rule: 'unknown-name',
    objects: [workload({ annotations: list('configmap', 'app-confg') }), ...BOTH],
  },
  {
    what: 'auto where the pods use nothing',
    rule: 'nothing-to-watch',
    objects: [workload({ annotations: auto, uses: [] })],
  },
  {
    what: 'auto for Secrets where the pods use none',
    rule: 'nothing-to-watch',
    objects: [
      workload({ annotations: { [`secret.${P}/auto`]: 'true' }, uses: [{ configMap: 'app-config' }] }),
    ],
  },
  {
    what: 'search where nothing matches',
    rule: 'matches-nothing',
    objects: [workload({ annotations: { [`${P}/search`]: 'true' } }), ...BOTH],
  },
  {
    what: 'match that nobody searches',
    rule: 'nobody-searches',
    objects: [workload({}), source('Secret', 'app-secret', { [`${P}/match`]: 'true' })],
  },
  {
    what: 'ignore beside auto',
    rule: 'contradiction',
    objects: [workload({ annotations: { ...auto, [`${P}/ignore`]: 'true' } })],
  },
  {
    what: 'a name listed and excluded',
    rule: 'contradiction',
    objects: [
      workload({
        annotations: { ...list('secret', 'app-secret'), [`secrets.exclude.${P}/reload`]: 'app-secret' },
      }),
    ],
  },
  {
    what: 'an exclusion from nothing',
    rule: 'nothing-to-exclude',
    objects: [workload({ annotations: { [`secrets.exclude.${P}/reload`]: 'app-secret' } })],
  },
  {
    what: 'annotations on the template that are not read',
    rule: 'template-not-read',
    objects: [workload({ annotations: { [`${P}/auto`]: 'false' }, template: auto })],
  },
];
