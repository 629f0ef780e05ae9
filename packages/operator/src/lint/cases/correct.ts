/** Correct manifests, including edge cases: lint must report nothing for any of them. */
import { auto, BOTH, config, list, namespace, P, source, TARGETS, WATCHED, workload } from './objects.ts';

const podConfig = (spec: object): object => ({
  apiVersion: 'podconfig.example.com/v1alpha1',
  kind: 'PodConfigMapConfig',
  metadata: { name: 'info', namespace: 'shop' },
  spec,
});

export const CORRECT: Readonly<Record<string, readonly object[]>> = {
  'a workload without annotations': [workload({})],
  'auto on a Deployment': [workload({ annotations: auto })],
  'auto on a StatefulSet': [workload({ kind: 'StatefulSet', annotations: auto })],
  'auto on a DaemonSet': [workload({ kind: 'DaemonSet', annotations: auto })],
  'auto on a CronJob': [workload({ kind: 'CronJob', annotations: auto })],
  'auto on a Job': [workload({ kind: 'Job', annotations: auto })],
  'auto on the pod template': [workload({ template: auto })],
  'auto turned off': [workload({ annotations: { [`${P}/auto`]: 'false' } })],
  'auto as Go writes true': [workload({ annotations: { [`${P}/auto`]: 'T' } })],
  'auto for Secrets alone': [workload({ annotations: { [`secret.${P}/auto`]: 'true' } })],
  'auto for ConfigMaps alone': [workload({ annotations: { [`configmap.${P}/auto`]: 'true' } })],
  'a Secret by name': [workload({ annotations: list('secret', 'app-secret') }), ...BOTH],
  'a Secret that another tool makes': [workload({ annotations: list('secret', 'from-the-vault') }), ...BOTH],
  'names with commas and blanks': [workload({ annotations: list('configmap', 'app-config, feature-flags') })],
  'an expression that matches': [workload({ annotations: list('configmap', 'app-.*') }), ...BOTH],
  'an expression without files to match': [workload({ annotations: list('configmap', 'app-[0-9]+') })],
  'an alternative in an expression': [
    workload({ annotations: list('configmap', '(app|web)-config') }),
    ...BOTH,
  ],
  'a name with dots': [workload({ annotations: list('configmap', 'kube-root-ca.crt') })],
  'everything by expression': [workload({ annotations: list('secret', '.*') })],
  'two kinds of lists': [
    workload({ annotations: { ...list('secret', 'app-secret'), ...list('configmap', 'app-config') } }),
    ...BOTH,
  ],
  'auto with an exclusion': [
    workload({ annotations: { ...auto, [`secrets.exclude.${P}/reload`]: 'app-secret' } }),
  ],
  'search and match': [
    workload({ annotations: { [`${P}/search`]: 'true' } }),
    source('Secret', 'app-secret', { [`${P}/match`]: 'true' }),
    source('ConfigMap', 'app-config'),
  ],
  'match without a user in these files': [source('Secret', 'shared', { [`${P}/match`]: 'true' })],
  'match used by a workload with auto': [
    workload({ annotations: auto }),
    source('Secret', 'app-secret', { [`${P}/match`]: 'true' }),
  ],
  'kinds joined by a bar': [
    workload({ annotations: { ...auto, [`${P}/search`]: 'true', [`${P}/match`]: 'configmap|secret' } }),
  ],
  'kind on a workload': [workload({ annotations: { ...auto, [`${P}/kind`]: 'secret' } })],
  'a source that is ignored': [source('ConfigMap', 'leader', { [`${P}/ignore`]: 'true' })],
  'a workload that is ignored': [workload({ annotations: { [`${P}/ignore`]: 'true' } })],
  'settling and a window': [
    workload({ annotations: { ...auto, [`${P}/settle`]: '0s', [`${P}/batch-window`]: '1h30m' } }),
  ],
  'a pause of a Deployment': [workload({ annotations: { ...auto, [`deployment.${P}/pause-period`]: '5m' } })],
  'a pause of a StatefulSet': [
    workload({ kind: 'StatefulSet', annotations: { ...auto, [`statefulset.${P}/pause-period`]: '90s' } }),
  ],
  'keys and restart': [
    workload({ annotations: { ...auto, [`${P}/keys`]: 'used', [`${P}/rollout-strategy`]: 'restart' } }),
  ],
  'a frozen workload': [workload({ annotations: { ...auto, [`${P}/freeze`]: 'true' } })],
  'a reload that is verified': [
    workload({
      annotations: {
        ...auto,
        [`${P}/verify`]: 'true',
        [`${P}/verify-timeout`]: '5m',
        [`${P}/verify-stable-for`]: '1m',
        [`${P}/verify-max-restarts`]: '2',
        [`${P}/on-failure`]: 'restore',
      },
    }),
  ],
  'a wave, and one that goes first': [
    workload({ annotations: { ...auto, [`${P}/wave`]: '-1', [`${P}/canary`]: 'true' } }),
  ],
  'a condition': [workload({ annotations: { ...auto, [`${P}/condition`]: "'tier' in workload.labels" } })],
  'content that is what it has to be': [
    config({
      watchedResources: { configMaps: ['app-config'] },
      targets: TARGETS,
      validate: [
        { key: 'app.yaml', format: 'yaml', rule: 'self.workers > 0', schema: { type: 'object' } },
        { source: { kind: 'Secret', name: 'app-secret' }, requiredKeys: ['a'] },
      ],
    }),
    { ...source('ConfigMap', 'app-config'), data: { 'app.yaml': 'workers: 1' } },
    { ...source('Secret', 'app-secret', { [`${P}/format`]: 'a=json' }), data: { a: 'e30=' } },
  ],
  'a Secret that is filled by somebody else': [
    source('Secret', 'app-secret', { [`${P}/required-keys`]: 'a' }),
  ],
  'a rate, and none': [
    workload({ annotations: { ...auto, [`${P}/rate-limit`]: '6/20' } }),
    namespace({ [`${P}/rate-limit`]: '0', [`${P}/max-concurrent`]: '3' }),
  ],
  'a freeze that ends': [
    workload({
      annotations: { ...auto, [`${P}/freeze`]: '2026-12-24T18:00:00Z', [`${P}/freeze-reason`]: 'holidays' },
    }),
  ],
  'windows of a workload and of a Namespace': [
    namespace({
      [`${P}/restart-window`]: '{"timezone":"UTC","windows":[{"cron":"0 0 * * *","duration":"1h"}]}',
    }),
    workload({
      annotations: {
        ...auto,
        [`${P}/sync-windows`]:
          '- {kind: deny, schedule: "0 9 * * MON-FRI", duration: 8h, timeZone: Europe/Berlin}',
        [`${P}/max-wait`]: '72h',
      },
    }),
  ],
  'a frozen Namespace': [namespace({ [`${P}/freeze`]: 'true' })],
  'consent of a Namespace': [namespace({ [`${P}/allow-from`]: 'tools, platform' })],
  'defaults of a Namespace': [namespace({ ...auto, [`${P}/settle`]: '10s' })],
  'foreign annotations': [
    workload({
      annotations: {
        ...auto,
        'prometheus.io/scrape': 'true',
        'argocd.argoproj.io/sync-wave': '1',
        'checksum/config': 'abc',
      },
    }),
  ],
  'foreign labels': [workload({ annotations: auto, labels: { 'app.kubernetes.io/name': 'web' } })],
  'a config with names': [config({ watchedResources: WATCHED, targets: TARGETS }), workload({}), ...BOTH],
  'a config without the files of its target': [config({ watchedResources: WATCHED, targets: TARGETS })],
  'a config whose target comes from elsewhere': [
    config({ watchedResources: WATCHED, targets: [{ kind: 'StatefulSet', name: 'database' }] }),
    workload({}),
  ],
  'a config for all that is used': [config({ autoReloadAll: true, targets: TARGETS }), workload({})],
  'a config with a selector': [
    config({ watchedResources: { resourceSelector: { matchLabels: { team: 'web' } } }, targets: TARGETS }),
    source('Secret', 'app-secret', {}, { team: 'web' }),
  ],
  'a config with expressions of labels': [
    config({
      watchedResources: {
        resourceSelector: {
          matchExpressions: [
            { key: 'team', operator: 'In', values: ['web'] },
            { key: 'old', operator: 'DoesNotExist' },
          ],
        },
      },
      targets: TARGETS,
    }),
  ],
  'a config that chooses namespaces': [
    config({
      watchedResources: { ...WATCHED, namespaceSelector: { matchLabels: { env: 'prod' } } },
      targets: TARGETS,
    }),
  ],
  'a config with everything': [
    config({
      watchedResources: { secrets: ['app-secret'], configMaps: ['app-config'], enableTargetedReload: true },
      targets: [
        {
          kind: 'Deployment',
          name: 'web',
          requireReference: true,
          pausePeriod: '5m',
          rolloutStrategy: 'restart',
          settle: '2s',
          batchWindow: '1m',
        },
      ],
      reloadStrategy: 'annotations',
      reloadOnCreate: true,
      reloadOnDelete: false,
      ignoreResources: [{ kind: 'ConfigMap', name: 'noise' }],
      alerts: {
        slack: { secretRef: { name: 'hooks', key: 'slack' } },
        customWebhook: { url: 'https://example.test/hook', events: ['failed'] },
      },
    }),
    workload({}),
    ...BOTH,
  ],
  'fields that are empty, which the API server drops': [
    config({
      watchedResources: { ...WATCHED, resourceSelector: { matchLabels: null } },
      targets: [{ ...TARGETS[0], namespace: null, settle: null }],
      windows: [{ kind: null, schedule: '0 2 * * *', duration: '1h', timeZone: null }],
      matchLabels: { team: null },
    }),
    podConfig({ podSelector: { matchLabels: { app: null }, matchExpressions: null }, labelsToInclude: null }),
  ],
  'a target across namespaces with consent': [
    config({ watchedResources: WATCHED, targets: [{ ...TARGETS[0], namespace: 'payments' }] }),
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'payments', annotations: { [`${P}/allow-from`]: 'shop' } },
    },
  ],
  'the older word for restart': [
    config({ watchedResources: WATCHED, targets: TARGETS, reloadStrategy: 'restart' }),
  ],
  'a PodConfigMapConfig': [
    podConfig({
      podSelector: { matchLabels: { app: 'web' } },
      labelsToInclude: ['app'],
      annotationsToInclude: ['example.test/build', 'Example.TEST/Commit'],
      configMapDataTemplate: { 'name.txt': '{{ .metadata.name | upper }}' },
    }),
  ],
  'objects of other APIs': [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web', annotations: { 'nginx.ingress.kubernetes.io/rewrite-target': '/' } },
    },
  ],
};
