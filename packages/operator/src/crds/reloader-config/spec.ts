/**
 * The spec. No field has a default here: the API server would store it with the object, and it would hide the
 * operator's flags forever.
 */
import {
  choice,
  duration,
  flag,
  integer,
  labels,
  list,
  namespaceName,
  object,
  objectName,
  text,
  time,
  typed,
} from '../json-schema.ts';
import { alerts } from './alerts.ts';
import { labelSelector } from './selector.ts';
import { validate } from './validate.ts';

const MOST_NAMES = 1000;
const MOST_TARGETS = 500;
const MOST_WINDOWS = 16;
const MOST_STEPS = 10;
const LARGEST_RATE = 3600;
/** Five fields of digits, names, stars, ranges, lists and steps; the operator checks their meaning. */
const SCHEDULE = '^[0-9A-Za-z*,/-]+( +[0-9A-Za-z*,/-]+){4}$';

const rolloutStrategy = (fallback: string) =>
  choice(
    'How pods get new: `rollout` changes the pod template and leaves the order to Kubernetes, `restart` ' +
      `evicts the pods and leaves the template alone. ${fallback}`,
    'rollout',
    'restart',
  );

const reloadStrategy = (fallback: string) =>
  choice(
    'What changes in the pod template with `rollout`: an environment variable (`env-vars`) or an annotation ' +
      '(`annotations`). `restart` is an older way to write rolloutStrategy: restart. ' +
      fallback,
    'env-vars',
    'annotations',
    'restart',
  );

const pausePeriod = (fallback: string) =>
  duration(
    'The shortest time between two reloads of one workload, such as `5m`. The first change is rolled out, ' +
      `later ones are held until the time is over and then rolled out together. ${fallback}`,
  );

const settle = (fallback: string) =>
  duration(
    'Wait until this long nothing changed, so that several edits become one rollout; `0s` for at once. ' +
      fallback,
    { rule: "duration(self) <= duration('1h')", message: 'settle must be at most 1h' },
  );

const batchWindow = (fallback: string) =>
  duration(
    `Collect changes for this long, counted from the first one, and roll them out together. ${fallback}`,
    { rule: "duration(self) <= duration('24h')", message: 'batchWindow must be at most 24h' },
  );

const rate = (description: string) => integer(description, { minimum: 1, maximum: LARGEST_RATE });

const approval = (fallback: string) =>
  choice(
    '`required`: each change waits until somebody approves exactly that content, by `reloader approve` or the annotation ' +
      `\`reloader.stakater.com/approve\` on the workload. ${fallback}`,
    'required',
    'none',
  );

const verify = (fallback: string) =>
  object(
    'Follow each reload until it has proven itself; `{}` for all defaults. Its outcome is told (Events, metrics, history) ' +
      `and noted, and a slot of maxConcurrent is held until then. Jobs and CronJobs are not verified. ${fallback}`,
    {
      timeout: duration(
        'How long its rollout may take before it counts as failed, `1s` to `24h`; `15m` unless given.',
        {
          rule: "duration(self) >= duration('1s') && duration(self) <= duration('24h')",
          message: 'timeout must be from 1s to 24h',
        },
      ),
      stableFor: duration(
        'How long all new pods have to stay ready after that, at most `1h`; `30s` unless given.',
        { rule: "duration(self) <= duration('1h')", message: 'stableFor must be at most 1h' },
      ),
      maxRestarts: integer('How often a container of a new pod may restart until then; 0 unless given.', {
        minimum: 0,
        maximum: 1000,
      }),
    },
  );

const onFailure = (fallback: string) =>
  choice(
    'With `verify`, what is done when a reload fails. `hold`: its peers wait with that content, and people decide. ' +
      '`restore`: besides, ConfigMaps that had changed are put back to the last content that worked, once, unless a GitOps ' +
      'tool or a controller owns them; needs the flag --restore-config-maps (chart value `reloader.restoreConfigMaps`). ' +
      `Secrets are never put back. ${fallback}`,
    'hold',
    'restore',
  );

const condition = (fallback: string) =>
  text(
    'A CEL expression that has to be true before a change is rolled out; while it is not, the change waits. It sees ' +
      '`source` (kind, namespace, name, labels, keys) and `workload` (kind, namespace, name, labels, replicas, available) ' +
      `and nothing of the content. ${fallback}`,
    { minLength: 1, maxLength: 1024 },
  );

/** A number, or a percentage of the targets. */
const numberOrShare = (description: string) =>
  typed<number | string>({
    description,
    'x-kubernetes-int-or-string': true,
    minimum: 1,
    maximum: 10000,
    pattern: '^([1-9][0-9]?|100)%$',
  });

const windows = list(
  'When reloads may begin. Inside any allowing window, where there is one, and never inside a denying one; windows on ' +
    'the workload, its Namespace and the Namespace of the operator count, too. What changes outside waits.',
  MOST_WINDOWS,
  object(
    'One window: `schedule` and `duration`, or `from` and `to`.',
    {
      kind: choice('Whether reloads may begin in it: `allow` unless given.', 'allow', 'deny'),
      schedule: text(
        'When it starts: minute, hour, day of the month, month, day of the week, as in `0 2 * * 1-5`. Names of months ' +
          'and days, lists, ranges and steps; nothing else.',
        { minLength: 9, maxLength: 256, pattern: SCHEDULE },
      ),
      duration: duration(
        'How long it lasts, `1m` to `168h`, in elapsed time: clocks that change do not change it.',
        {
          rule: "duration(self) >= duration('1m') && duration(self) <= duration('168h')",
          message: 'duration of a window must be from 1m to 168h',
        },
      ),
      timeZone: text('IANA name of the zone of `schedule`, such as `Europe/Berlin`; UTC unless given.', {
        minLength: 1,
        maxLength: 64,
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
      }),
      from: time('Instead of a schedule: it starts then, once.'),
      to: time('And ends then.'),
    },
    {
      'x-kubernetes-validations': [
        {
          rule: 'has(self.schedule) == has(self.duration) && has(self.from) == has(self.to) && has(self.schedule) != has(self.from)',
          message: 'a window needs schedule and duration, or from and to',
        },
        {
          rule: '!has(self.timeZone) || has(self.schedule)',
          message: 'timeZone belongs to schedule: from and to have their own offset',
        },
        { rule: '!has(self.from) || !has(self.to) || self.to > self.from', message: 'to must be after from' },
      ],
    },
  ),
);

const FLAG = "The operator's flag counts unless given.";
const SPEC = 'That of the spec counts unless given.';

const watchedResources = object('Which Secrets and ConfigMaps lead to a reload.', {
  secrets: list('Names of Secrets. They need not exist yet.', MOST_NAMES, objectName('A Secret.')),
  configMaps: list('Names of ConfigMaps. They need not exist yet.', MOST_NAMES, objectName('A ConfigMap.')),
  enableTargetedReload: flag(
    'Let `requireReference` of each target decide whether it must refer to what changed.',
  ),
  namespaceSelector: labelSelector(
    'Watch in the namespaces with these labels instead of the own one, which counts only if it has them; as far as they ' +
      'allow it (annotation `reloader.stakater.com/allow-from` on the Namespace, or the flag --allow-cross-namespace).',
  ),
  resourceSelector: labelSelector(
    'Watch the Secrets and ConfigMaps with these labels. With names given, only those of them that match.',
  ),
});

const target = object(
  'A workload to reload.',
  {
    kind: choice(
      'A CronJob gets the change with its next run and a Job while it is unfinished, unless --cronjob-strategy ' +
        'says otherwise.',
      'Deployment',
      'StatefulSet',
      'DaemonSet',
      'DeploymentConfig',
      'Rollout',
      'CronJob',
      'Job',
    ),
    name: objectName('The workload. It need not exist yet.'),
    namespace: namespaceName(
      'Its namespace, that of the ReloaderConfig unless given. Another one has to allow it: annotation ' +
        '`reloader.stakater.com/allow-from` on the Namespace, or the flag --allow-cross-namespace.',
    ),
    rolloutStrategy: rolloutStrategy(SPEC),
    reloadStrategy: reloadStrategy(SPEC),
    pausePeriod: pausePeriod(SPEC),
    settle: settle(SPEC),
    batchWindow: batchWindow(SPEC),
    approval: approval(SPEC),
    verify: verify(SPEC),
    onFailure: onFailure(SPEC),
    condition: condition(SPEC),
    wave: integer(
      'Targets of a higher wave wait until those of lower ones are through with the same content: rolled out, or with ' +
        '`verify` proven. 0 unless given; annotation `reloader.stakater.com/wave` says the same on a workload.',
      { minimum: -2147483648, maximum: 2147483647 },
    ),
    requireReference: flag(
      'With `enableTargetedReload`: reload this workload only for what its pod template refers to.',
    ),
  },
  { required: ['kind', 'name'] },
);

const ignoredResource = object(
  'One Secret or ConfigMap.',
  {
    kind: choice('Its kind.', 'Secret', 'ConfigMap'),
    name: objectName('Its name.'),
    namespace: namespaceName('Its namespace; every namespace unless given.'),
  },
  { required: ['kind', 'name'] },
);

export const spec = object(
  'What to watch, and what to reload when it changes.',
  {
    watchedResources,
    targets: list('The workloads to reload. One that is named twice is reloaded once.', MOST_TARGETS, target),
    rolloutStrategy: rolloutStrategy(FLAG),
    reloadStrategy: reloadStrategy(FLAG),
    pausePeriod: pausePeriod('None unless given.'),
    settle: settle(FLAG),
    batchWindow: batchWindow(FLAG),
    approval: approval('None unless given.'),
    verify: verify('Not done unless given.'),
    onFailure: onFailure('`hold` unless given.'),
    condition: condition('None unless given.'),
    validate,
    windows,
    rateLimit: object(
      `How often a workload is reloaded at most, for changes that this object watches. ${FLAG}`,
      {
        perHour: rate('So many in an hour.'),
        burst: rate('So many at once, after a long rest; 1 unless given.'),
      },
      { required: ['perHour'] },
    ),
    maxConcurrent: numberOrShare(
      'How many of the targets may be rolling out at a time: a number, or a share of them such as `25%`, rounded up. The ' +
        'oldest change goes first. Annotation `reloader.stakater.com/max-concurrent` on the Namespace and the flag ' +
        '--max-unfinished-rollouts count, too: the tightest decides. Any number unless given.',
    ),
    canary: object(
      'A change reaches some of the targets first and the others step by step. Needs `verify`, which says how a step ends. ' +
        'Inside of a wave, targets with annotation `reloader.stakater.com/canary: "true"` come first, then by name.',
      {
        steps: list(
          'How many targets have the change after each step: numbers, or shares such as `10%`, rounded up. After the ' +
            'last step all the others follow.',
          MOST_STEPS,
          numberOrShare('One step.'),
          { minItems: 1 },
        ),
        bake: duration(
          'How long a step rests before the next one begins, at most `168h`; `10m` unless given.',
          {
            rule: "duration(self) <= duration('168h')",
            message: 'bake must be at most 168h',
          },
        ),
      },
      { required: ['steps'] },
    ),
    maxWait: duration(
      'So long after the first change it is rolled out outside of allowing windows, too; denying ones and people still ' +
        'hold it. While it waits for longer, the condition Overdue is True.',
    ),
    autoReloadAll: flag(
      'Reload each target also for every Secret and ConfigMap that its pod template refers to.',
    ),
    reloadOnCreate: flag(`Reload when a watched object is created. ${FLAG}`),
    reloadOnDelete: flag(`Reload when a watched object is deleted. ${FLAG}`),
    ignoreResources: list('Secrets and ConfigMaps that never lead to a reload.', MOST_NAMES, ignoredResource),
    matchLabels: labels('Only Secrets and ConfigMaps with all of these labels lead to a reload.'),
    alerts,
  },
  {
    'x-kubernetes-validations': [
      { rule: '!has(self.canary) || has(self.verify)', message: 'canary needs verify' },
    ],
  },
);
