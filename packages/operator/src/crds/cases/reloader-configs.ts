/** ReloaderConfigs that every API server must accept or refuse. */
import type { Client, KubernetesObject } from '@reloader/runtime';
import { ApiError } from '@reloader/runtime';
import { ReloaderConfigs } from '../reloader-config.ts';

export interface SchemaCase {
  readonly name: string;
  readonly spec: unknown;
  /** A text that the refusal must contain; undefined: the object is accepted. */
  readonly refused?: string;
}

const web = { kind: 'Deployment', name: 'web' };
const target = (more: object) => ({ targets: [{ ...web, ...more }] });
const channel = (slack: unknown) => ({ alerts: { slack } });
const selector = (resourceSelector: object) => ({ watchedResources: { resourceSelector } });
const requirement = (more: object) => selector({ matchExpressions: [{ key: 'app', ...more }] });

const ACCEPTED: readonly SchemaCase[] = [
  { name: 'an empty spec', spec: {} },
  {
    name: 'the first shape of the earlier operator, with alerts and reloadOnCreate',
    spec: {
      watchedResources: { secrets: ['a'], configMaps: ['b'] },
      targets: [web],
      reloadStrategy: 'annotations',
      reloadOnCreate: true,
      reloadOnDelete: false,
      alerts: {
        slack: { url: 'https://hooks.example.test/1', secretRef: { name: 'hooks', key: 'slack' } },
        teams: { url: 'http://teams.example.test/1' },
      },
    },
  },
  {
    name: 'the later shape of the earlier operator, with every field',
    spec: {
      watchedResources: {
        secrets: ['a', 'a'],
        configMaps: ['b.c'],
        enableTargetedReload: true,
        namespaceSelector: { matchLabels: { team: 'shop' } },
        resourceSelector: { matchExpressions: [{ key: 'reload', operator: 'Exists' }] },
      },
      targets: [
        { ...web, namespace: 'other', rolloutStrategy: 'restart', requireReference: true },
        { kind: 'StatefulSet', name: 'db', reloadStrategy: 'env-vars', pausePeriod: '1h30m' },
        { kind: 'DaemonSet', name: 'agent' },
        { kind: 'DeploymentConfig', name: 'dc' },
        { kind: 'Rollout', name: 'canary' },
        { kind: 'CronJob', name: 'nightly' },
      ],
      rolloutStrategy: 'rollout',
      reloadStrategy: 'env-vars',
      autoReloadAll: true,
      ignoreResources: [{ kind: 'Secret', name: 'noise', namespace: 'other' }],
      matchLabels: { reload: 'yes' },
    },
  },
  { name: 'restart among the reload strategies, as one version had it', spec: { reloadStrategy: 'restart' } },
  { name: 'the same target twice', spec: { targets: [web, web] } },
  { name: 'a Job as target', spec: { targets: [{ kind: 'Job', name: 'import' }] } },
  { name: 'secretRef alone, without a key', spec: channel({ secretRef: { name: 'hooks' } }) },
  { name: 'an empty url beside a secretRef', spec: channel({ url: '', secretRef: { name: 'hooks' } }) },
  { name: 'url alone', spec: channel({ url: 'https://hooks.example.test/1' }) },
  {
    name: 'a secretRef of another namespace with a key',
    spec: channel({ secretRef: { name: 'hooks', key: 'slack.url', namespace: 'ops' } }),
  },
  {
    name: 'a template and the events of a channel',
    spec: channel({
      url: 'https://hooks.example.test/1',
      events: ['failed'],
      template: '{"text": {{ .text | toJson }}}',
    }),
  },
  {
    name: 'the old format of Teams',
    spec: { alerts: { teams: { url: 'https://hooks.example.test/1', format: 'messageCard' } } },
  },
  {
    name: 'settle, batchWindow and pausePeriod in the spec',
    spec: { settle: '0s', batchWindow: '2m', pausePeriod: '5m' },
  },
  { name: 'settle and batchWindow of a target', spec: target({ settle: '500ms', batchWindow: '24h' }) },
  { name: 'a fraction in a duration', spec: target({ pausePeriod: '1.5h' }) },
  { name: 'microseconds in Greek', spec: target({ pausePeriod: '100µs' }) },
  { name: 'an empty selector', spec: selector({}) },
  { name: 'NotIn with values', spec: requirement({ operator: 'NotIn', values: ['a', 'b'] }) },
  { name: 'Exists with an empty list of values', spec: requirement({ operator: 'Exists', values: [] }) },
  {
    name: 'ignoreResources without a namespace',
    spec: { ignoreResources: [{ kind: 'ConfigMap', name: 'noise' }] },
  },
  { name: 'autoReloadAll without targets', spec: { autoReloadAll: true } },
  {
    name: 'windows of both kinds and both shapes, and a deadline',
    spec: {
      windows: [
        { schedule: '0 2 * * 1-5', duration: '3h', timeZone: 'Europe/Berlin' },
        { kind: 'allow', schedule: '*/30 0-6 1,15 JAN-MAR SAT', duration: '168h' },
        { kind: 'deny', from: '2026-12-20T00:00:00+01:00', to: '2027-01-04T00:00:00+01:00' },
      ],
      maxWait: '72h',
    },
  },
  { name: 'a rate', spec: { rateLimit: { perHour: 6, burst: 20 } } },
  { name: 'three targets at a time', spec: { maxConcurrent: 3 } },
  { name: 'verification by defaults', spec: { verify: {} } },
  { name: 'what failed is put back', spec: { verify: {}, onFailure: 'restore' } },
  {
    name: 'rules for content',
    spec: {
      validate: [
        { requiredKeys: ['a', 'tls.crt'], message: 'both' },
        {
          source: { kind: 'ConfigMap', name: 'settings' },
          key: 'app.yaml',
          format: 'yaml',
          rule: 'self.workers >= 1',
          schema: { type: 'object', properties: { workers: { type: 'integer' } } },
        },
        { key: 'tls.crt', format: 'pem', expiresIn: '168h' },
      ],
    },
  },
  {
    name: 'verification of one target',
    spec: target({ verify: { timeout: '5m', stableFor: '1m', maxRestarts: 1 } }),
  },
  { name: 'targets in waves', spec: target({ wave: -2147483648 }) },
  {
    name: 'a canary',
    spec: { verify: {}, canary: { steps: [1, '10%'], bake: '10m' } },
  },
  { name: 'a condition', spec: { condition: "source.labels['env'] == 'prod'" } },
  { name: 'a condition of one target', spec: target({ condition: 'workload.replicas > 1' }) },
  { name: 'a quarter of the targets at a time', spec: { maxConcurrent: '25%' } },
  {
    name: 'approval of everything but one target',
    spec: { approval: 'required', ...target({ approval: 'none' }) },
  },
];

const window = (more: object) => ({ windows: [{ schedule: '0 2 * * *', duration: '1h', ...more }] });
const NEEDS = 'a window needs schedule and duration, or from and to';

const REFUSED: readonly SchemaCase[] = [
  {
    name: 'a rate of none',
    spec: { rateLimit: { perHour: 0, burst: 1 } },
    refused: 'spec.rateLimit.perHour',
  },
  { name: 'a burst without a rate', spec: { rateLimit: { burst: 1 } }, refused: 'spec.rateLimit.perHour' },
  {
    name: 'verification that never ends',
    spec: { verify: { timeout: '25h' } },
    refused: 'spec.verify.timeout',
  },
  { name: 'another end of a failure', spec: { verify: {}, onFailure: 'undo' }, refused: 'spec.onFailure' },
  { name: 'a stable day', spec: { verify: { stableFor: '24h' } }, refused: 'spec.verify.stableFor' },
  {
    name: 'fewer restarts than none',
    spec: { verify: { maxRestarts: -1 } },
    refused: 'spec.verify.maxRestarts',
  },
  { name: 'a wave beyond 32 bits', spec: target({ wave: 2147483648 }), refused: 'spec.targets[0].wave' },
  { name: 'half a wave', spec: target({ wave: 0.5 }), refused: 'spec.targets[0].wave' },
  {
    name: 'a canary without verification',
    spec: { canary: { steps: [1] } },
    refused: 'canary needs verify',
  },
  {
    name: 'a canary without steps',
    spec: { verify: {}, canary: { steps: [] } },
    refused: 'spec.canary.steps',
  },
  {
    name: 'a canary of nobody',
    spec: { verify: {}, canary: { steps: ['0%'] } },
    refused: 'spec.canary.steps[0]',
  },
  {
    name: 'a canary that bakes for a month',
    spec: { verify: {}, canary: { steps: [1], bake: '720h' } },
    refused: 'bake must be at most 168h',
  },
  { name: 'an empty condition', spec: { condition: '' }, refused: 'spec.condition' },
  { name: 'a condition that is too long', spec: { condition: 'a'.repeat(1025) }, refused: 'spec.condition' },
  {
    name: 'a rule that checks nothing',
    spec: { validate: [{ key: 'a' }] },
    refused: 'requiredKeys or format',
  },
  {
    name: 'a format without a key',
    spec: { validate: [{ format: 'json' }] },
    refused: 'format needs the key',
  },
  {
    name: 'an unknown format',
    spec: { validate: [{ key: 'a', format: 'toml' }] },
    refused: 'spec.validate[0].format',
  },
  {
    name: 'CEL over PEM',
    spec: { validate: [{ key: 'a', format: 'pem', rule: 'true' }] },
    refused: 'rule and schema need format',
  },
  {
    name: 'YAML that expires',
    spec: { validate: [{ key: 'a', format: 'yaml', expiresIn: '1h' }] },
    refused: 'expiresIn needs format: pem',
  },
  {
    name: 'seventeen rules',
    spec: { validate: Array.from({ length: 17 }, () => ({ requiredKeys: ['a'] })) },
    refused: 'spec.validate',
  },
  { name: 'no target at a time', spec: { maxConcurrent: 0 }, refused: 'spec.maxConcurrent' },
  { name: 'more than all targets', spec: { maxConcurrent: '101%' }, refused: 'spec.maxConcurrent' },
  { name: 'a share without a sign', spec: { maxConcurrent: '25' }, refused: 'spec.maxConcurrent' },
  { name: 'approval by another word', spec: { approval: 'yes' }, refused: 'spec.approval' },
  { name: 'a schedule with a nickname', spec: window({ schedule: '@daily___' }), refused: 'schedule' },
  { name: 'a schedule with seconds', spec: window({ schedule: '0 0 2 * * *' }), refused: 'schedule' },
  { name: 'a window of half a minute', spec: window({ duration: '30s' }), refused: 'from 1m to 168h' },
  { name: 'a window of more than a week', spec: window({ duration: '169h' }), refused: 'from 1m to 168h' },
  { name: 'an unknown kind of window', spec: window({ kind: 'maybe' }), refused: 'spec.windows[0].kind' },
  { name: 'a zone by its offset', spec: window({ timeZone: '+01:00' }), refused: 'spec.windows[0].timeZone' },
  { name: 'a window without a duration', spec: { windows: [{ schedule: '0 2 * * *' }] }, refused: NEEDS },
  { name: 'a window with nothing', spec: { windows: [{}] }, refused: NEEDS },
  {
    name: 'a window in both shapes',
    spec: window({ from: '2026-12-20T00:00:00Z', to: '2026-12-21T00:00:00Z' }),
    refused: NEEDS,
  },
  {
    name: 'a window that ends before it begins',
    spec: { windows: [{ from: '2026-12-20T00:00:00Z', to: '2026-12-19T00:00:00Z' }] },
    refused: 'to must be after from',
  },
  { name: 'a time that is none', spec: { windows: [{ from: 'tomorrow', to: 'later' }] }, refused: 'from' },
  {
    name: 'seventeen windows',
    spec: { windows: Array.from({ length: 17 }, () => ({ schedule: '0 2 * * *', duration: '1h' })) },
    refused: 'spec.windows',
  },
  { name: 'a deadline in words', spec: { maxWait: 'three days' }, refused: 'spec.maxWait' },
  { name: 'no spec', spec: undefined, refused: 'spec' },
  {
    name: 'a target of an unknown kind',
    spec: { targets: [{ ...web, kind: 'ReplicaSet' }] },
    refused: 'spec.targets[0].kind',
  },
  {
    name: 'a target without a name',
    spec: { targets: [{ kind: 'Deployment' }] },
    refused: 'spec.targets[0].name',
  },
  { name: 'a target with an empty name', spec: target({ name: '' }), refused: 'spec.targets[0].name' },
  {
    name: 'a target whose name no object can have',
    spec: target({ name: 'My_App' }),
    refused: 'spec.targets[0].name',
  },
  {
    name: 'a namespace that no namespace can be called',
    spec: target({ namespace: 'a.b' }),
    refused: 'spec.targets[0].namespace',
  },
  {
    name: 'an unknown rollout strategy',
    spec: { rolloutStrategy: 'recreate' },
    refused: 'spec.rolloutStrategy',
  },
  {
    name: 'an unknown reload strategy',
    spec: target({ reloadStrategy: 'labels' }),
    refused: 'spec.targets[0].reloadStrategy',
  },
  {
    name: 'a pause period without a unit',
    spec: target({ pausePeriod: '5' }),
    refused: 'spec.targets[0].pausePeriod',
  },
  { name: 'a pause period in words', spec: { pausePeriod: '5 minutes' }, refused: 'spec.pausePeriod' },
  { name: 'a negative duration', spec: { settle: '-1s' }, refused: 'spec.settle' },
  { name: 'a settle of more than an hour', spec: { settle: '61m' }, refused: 'settle must be at most 1h' },
  {
    name: 'a batch window of more than a day',
    spec: target({ batchWindow: '25h' }),
    refused: 'batchWindow must be at most 24h',
  },
  { name: 'a channel with nothing', spec: channel({}), refused: 'a channel needs url or secretRef' },
  {
    name: 'a channel with an empty url only',
    spec: channel({ url: '' }),
    refused: 'a channel needs url or secretRef',
  },
  {
    name: 'a url that is none',
    spec: channel({ url: 'hooks.example.test' }),
    refused: 'spec.alerts.slack.url',
  },
  {
    name: 'a secretRef without a name',
    spec: channel({ secretRef: { key: 'url' } }),
    refused: 'spec.alerts.slack.secretRef.name',
  },
  {
    name: 'an event that does not exist',
    spec: channel({ url: 'https://hooks.example.test/1', events: ['restarted'] }),
    refused: 'spec.alerts.slack.events[0]',
  },
  {
    name: 'a format that Teams does not have',
    spec: { alerts: { teams: { url: 'https://hooks.example.test/1', format: 'card' } } },
    refused: 'spec.alerts.teams.format',
  },
  {
    name: 'a format for a channel that has but one',
    spec: channel({ url: 'https://hooks.example.test/1', format: 'messageCard' }),
    refused: 'spec.alerts.slack.format',
  },
  {
    name: 'a template longer than anybody writes',
    spec: channel({ url: 'https://hooks.example.test/1', template: 'x'.repeat(8193) }),
    refused: 'spec.alerts.slack.template',
  },
  {
    name: 'In without values',
    spec: requirement({ operator: 'In' }),
    refused: 'values must not be empty with In and NotIn',
  },
  {
    name: 'Exists with values',
    spec: requirement({ operator: 'Exists', values: ['a'] }),
    refused: 'values must be empty',
  },
  {
    name: 'an unknown operator',
    spec: requirement({ operator: 'Matches', values: ['a'] }),
    refused: 'operator',
  },
  {
    name: 'a Secret name in capitals',
    spec: { watchedResources: { secrets: ['Creds'] } },
    refused: 'spec.watchedResources.secrets[0]',
  },
  {
    name: 'an ignored resource of another kind',
    spec: { ignoreResources: [{ kind: 'Pod', name: 'x' }] },
    refused: 'spec.ignoreResources[0].kind',
  },
  { name: 'text where a flag is asked for', spec: { autoReloadAll: 'true' }, refused: 'spec.autoReloadAll' },
];

export const SCHEMA_CASES: readonly SchemaCase[] = [...ACCEPTED, ...REFUSED];

/** The server's refusal; undefined if it accepts the object. */
export async function answerTo(client: Client, { spec }: SchemaCase): Promise<string | undefined> {
  const object: KubernetesObject & { spec?: unknown } = {
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: { namespace: 'default', name: 'case' },
    ...(spec !== undefined && { spec }),
  };
  try {
    await client.create(ReloaderConfigs, object as object, { dryRun: true, fieldValidation: 'Strict' });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
