/** Mistakes in custom resources. */
import { auto, BOTH, config, type Mistake, P, source, TARGETS, WATCHED, workload } from './objects.ts';

export const CONFIG_MISTAKES: readonly Mistake[] = [
  {
    what: 'the wrong version of the API',
    rule: 'bad-api-version',
    objects: [{ ...config({ watchedResources: WATCHED, targets: TARGETS }), apiVersion: `${P}/v1` }],
  },
  {
    what: 'a field with a typing error',
    rule: 'unknown-field',
    objects: [config({ watchedResource: WATCHED, autoReloadAll: true, targets: TARGETS })],
  },
  {
    what: 'configmaps in small letters',
    rule: 'unknown-field',
    objects: [config({ watchedResources: { ...WATCHED, configmaps: ['app-config'] }, targets: TARGETS })],
  },
  {
    what: 'fields beside spec',
    rule: 'unknown-field',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS }, { pausePeriod: '5m' })],
  },
  {
    what: 'a kind in small letters',
    rule: 'unknown-value',
    objects: [config({ watchedResources: WATCHED, targets: [{ kind: 'deployment', name: 'web' }] })],
  },
  {
    what: 'a target without a name',
    rule: 'missing-field',
    objects: [config({ watchedResources: WATCHED, targets: [{ kind: 'Deployment' }] })],
  },
  {
    what: 'a text where a list belongs',
    rule: 'bad-type',
    objects: [config({ watchedResources: { secrets: 'app-secret' }, targets: TARGETS })],
  },
  {
    what: 'true in quotes',
    rule: 'bad-type',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS, reloadOnCreate: 'true' })],
  },
  {
    what: 'a pause in words',
    rule: 'bad-text',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS, pausePeriod: '5 minutes' })],
  },
  {
    what: 'a condition that gives a number',
    rule: 'bad-field',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS, condition: 'workload.replicas + 1' })],
  },
  {
    what: 'a rule that is no CEL',
    rule: 'bad-field',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        validate: [{ key: 'a', format: 'json', rule: 'self.a ==' }],
      }),
    ],
  },
  {
    what: 'a schema with a reference',
    rule: 'bad-field',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        validate: [{ key: 'a', format: 'json', schema: { $ref: '#/b' } }],
      }),
    ],
  },
  {
    what: 'a content that a rule of the same files does not allow',
    rule: 'invalid-content',
    objects: [
      config({
        watchedResources: { configMaps: ['app-config'] },
        targets: TARGETS,
        validate: [{ key: 'app.yaml', format: 'yaml', rule: 'self.workers > 0' }],
      }),
      { ...source('ConfigMap', 'app-config'), data: { 'app.yaml': 'workers: 0' } },
    ],
  },
  {
    what: 'no target at a time',
    rule: 'out-of-range',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS, maxConcurrent: 0 })],
  },
  {
    what: 'half of the targets in words',
    rule: 'bad-text',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS, maxConcurrent: 'half' })],
  },
  {
    what: 'a settling of two hours',
    rule: 'bad-duration',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS, settle: '2h' })],
  },
  {
    what: 'a verification of a target that takes no time',
    rule: 'bad-duration',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS.map((target) => ({ ...target, verify: { timeout: '0s' } })),
      }),
    ],
  },
  {
    what: 'a window on the thirtieth of February',
    rule: 'bad-field',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        windows: [{ schedule: '0 0 30 2 *', duration: '1h' }],
      }),
    ],
  },
  {
    what: 'a window in no zone',
    rule: 'bad-field',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        windows: [{ schedule: '0 0 * * *', duration: '1h', timeZone: 'Mars/Olympus' }],
      }),
    ],
  },
  {
    what: 'windows that leave no time',
    rule: 'bad-window',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        windows: [{ kind: 'deny', schedule: '0 0 * * *', duration: '24h' }],
      }),
    ],
  },
  {
    what: 'a window that begins on a day that does not exist',
    rule: 'bad-field',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        windows: [{ kind: 'deny', from: '2027-02-30T00:00:00Z', to: '2027-03-05T00:00:00Z' }],
      }),
    ],
  },
  {
    what: 'a step of a canary that rests for longer than a week',
    rule: 'bad-duration',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        verify: {},
        canary: { steps: [1], bake: '200h' },
      }),
    ],
  },
  {
    what: 'windows of a config and of its target without a common moment',
    rule: 'bad-window',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        windows: [{ schedule: '0 2 * * *', duration: '1h' }],
      }),
      workload({
        annotations: { ...auto, [`${P}/sync-windows`]: '[{schedule: "0 5 * * *", duration: 1h}]' },
      }),
    ],
  },
  {
    what: 'windows of two configs for one source without a common moment',
    rule: 'bad-window',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        windows: [{ schedule: '0 2 * * *', duration: '1h' }],
      }),
      config(
        {
          watchedResources: WATCHED,
          targets: TARGETS,
          windows: [{ schedule: '0 5 * * *', duration: '1h' }],
        },
        { metadata: { name: 'other', namespace: 'shop' } },
      ),
      workload({}),
    ],
  },
  {
    what: 'nothing watched',
    rule: 'nothing-to-watch',
    objects: [config({ watchedResources: {}, targets: TARGETS })],
  },
  { what: 'no target', rule: 'no-target', objects: [config({ watchedResources: WATCHED })] },
  {
    what: 'a target that is missing',
    rule: 'missing-target',
    objects: [
      config({ watchedResources: WATCHED, targets: [{ kind: 'Deployment', name: 'wep' }] }),
      workload({}),
    ],
  },
  {
    what: 'a target that is missing beside others of its kind',
    rule: 'missing-target',
    objects: [
      config({ watchedResources: WATCHED, targets: [...TARGETS, { kind: 'Deployment', name: 'warehouse' }] }),
      workload({}),
    ],
  },
  {
    what: 'a target of another kind',
    rule: 'missing-target',
    objects: [
      config({ watchedResources: WATCHED, targets: [{ kind: 'StatefulSet', name: 'web' }] }),
      workload({}),
    ],
  },
  {
    what: 'a ConfigMap among the Secrets of a config',
    rule: 'wrong-list',
    objects: [config({ watchedResources: { secrets: ['app-config'] }, targets: TARGETS }), ...BOTH],
  },
  {
    what: 'a watched name with a letter missing',
    rule: 'unknown-name',
    objects: [config({ watchedResources: { secrets: ['app-secrt'] }, targets: TARGETS }), ...BOTH],
  },
  {
    what: 'a selector that matches nothing',
    rule: 'matches-nothing',
    objects: [
      config({ watchedResources: { resourceSelector: { matchLabels: { team: 'web' } } }, targets: TARGETS }),
      ...BOTH,
    ],
  },
  {
    what: 'labels that the named Secret does not carry',
    rule: 'labels-differ',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS, matchLabels: { team: 'web' } }), ...BOTH],
  },
  {
    what: 'In without values',
    rule: 'bad-field',
    objects: [
      config({
        watchedResources: { resourceSelector: { matchExpressions: [{ key: 'team', operator: 'In' }] } },
        targets: TARGETS,
      }),
    ],
  },
  {
    what: 'requireReference without its switch',
    rule: 'no-effect',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: [{ kind: 'Deployment', name: 'web', requireReference: true }],
      }),
    ],
  },
  {
    what: 'onFailure where nobody asks how it ends',
    rule: 'no-effect',
    objects: [
      config({ watchedResources: { configMaps: ['app-config'] }, targets: TARGETS, onFailure: 'restore' }),
    ],
  },
  {
    what: 'onFailure of Secrets alone',
    rule: 'no-effect',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS, verify: {}, onFailure: 'restore' })],
  },
  {
    what: 'a rule for a source that is not watched',
    rule: 'no-effect',
    objects: [
      config({
        watchedResources: { configMaps: ['app-config'] },
        targets: TARGETS,
        validate: [{ source: { kind: 'ConfigMap', name: 'app-confg' }, requiredKeys: ['app.yaml'] }],
      }),
    ],
  },
  {
    what: 'a target that refers to nothing watched',
    rule: 'never-reloads',
    objects: [
      config({
        watchedResources: { secrets: ['other'], enableTargetedReload: true },
        targets: [{ kind: 'Deployment', name: 'web', requireReference: true }],
      }),
      workload({}),
    ],
  },
  {
    what: 'one target twice',
    rule: 'twice',
    objects: [config({ watchedResources: WATCHED, targets: [...TARGETS, ...TARGETS] })],
  },
  {
    what: 'watched and ignored',
    rule: 'contradiction',
    objects: [
      config({
        watchedResources: WATCHED,
        targets: TARGETS,
        ignoreResources: [{ kind: 'Secret', name: 'app-secret' }],
      }),
    ],
  },
  {
    what: 'an alert without an address',
    rule: 'bad-field',
    objects: [config({ watchedResources: WATCHED, targets: TARGETS, alerts: { slack: {} } })],
  },
  {
    what: 'a target in a namespace that does not allow it',
    rule: 'not-allowed',
    objects: [
      config({ watchedResources: WATCHED, targets: [{ ...TARGETS[0], namespace: 'payments' }] }),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'payments' } },
    ],
  },
  {
    what: 'allow-from with a wildcard',
    rule: 'bad-name',
    objects: [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'shop', annotations: { [`${P}/allow-from`]: '*' } },
      },
    ],
  },
];
