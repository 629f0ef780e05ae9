/**
 * What can be asked for. Nothing has a default here: a default would be stored with the object and hide the
 * operator's own flags for ever.
 */
import {
  choice,
  duration,
  flag,
  type JsonSchema,
  labels,
  list,
  namespaceName,
  objectName,
} from '../json-schema.ts';
import { alerts } from './alerts.ts';
import { labelSelector } from './selector.ts';

const MOST_NAMES = 1000;
const MOST_TARGETS = 500;

const rolloutStrategy = (fallback: string): JsonSchema =>
  choice(
    'How pods get new: `rollout` changes the pod template and leaves the order to Kubernetes, `restart` ' +
      `evicts the pods and leaves the template alone. ${fallback}`,
    'rollout',
    'restart',
  );

const reloadStrategy = (fallback: string): JsonSchema =>
  choice(
    'What changes in the pod template with `rollout`: an environment variable (`env-vars`) or an annotation ' +
      '(`annotations`). `restart` is an older way to write rolloutStrategy: restart. ' +
      fallback,
    'env-vars',
    'annotations',
    'restart',
  );

const pausePeriod = (fallback: string): JsonSchema =>
  duration(
    'The shortest time between two reloads of one workload, such as `5m`. The first change is rolled out, ' +
      `later ones are held until the time is over and then rolled out together. ${fallback}`,
  );

const settle = (fallback: string): JsonSchema =>
  duration(
    'Wait until this long nothing changed, so that several edits become one rollout; `0s` for at once. ' +
      fallback,
    { rule: "duration(self) <= duration('1h')", message: 'settle must be at most 1h' },
  );

const batchWindow = (fallback: string): JsonSchema =>
  duration(
    `Collect changes for this long, counted from the first one, and roll them out together. ${fallback}`,
    { rule: "duration(self) <= duration('24h')", message: 'batchWindow must be at most 24h' },
  );

const FLAG = "The operator's flag counts unless given.";
const SPEC = 'That of the spec counts unless given.';

const watchedResources: JsonSchema = {
  description: 'Which Secrets and ConfigMaps lead to a reload.',
  type: 'object',
  properties: {
    secrets: list('Names of Secrets. They need not exist yet.', MOST_NAMES, objectName('A Secret.')),
    configMaps: list('Names of ConfigMaps. They need not exist yet.', MOST_NAMES, objectName('A ConfigMap.')),
    enableTargetedReload: flag(
      'Let `requireReference` of each target decide whether it must refer to what changed.',
    ),
    namespaceSelector: labelSelector(
      'Watch in the namespaces with these labels too, as far as they allow it ' +
        '(annotation `reloader.stakater.com/allow-from` on the Namespace, or the flag --allow-cross-namespace).',
    ),
    resourceSelector: labelSelector(
      'Watch the Secrets and ConfigMaps with these labels. With names given, only those of them that match.',
    ),
  },
};

const target: JsonSchema = {
  description: 'A workload to reload.',
  type: 'object',
  required: ['kind', 'name'],
  properties: {
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
    requireReference: flag(
      'With `enableTargetedReload`: reload this workload only for what its pod template refers to.',
    ),
  },
};

const ignoredResource: JsonSchema = {
  description: 'One Secret or ConfigMap.',
  type: 'object',
  required: ['kind', 'name'],
  properties: {
    kind: choice('Its kind.', 'Secret', 'ConfigMap'),
    name: objectName('Its name.'),
    namespace: namespaceName('Its namespace; every namespace unless given.'),
  },
};

export const spec: JsonSchema = {
  description: 'What to watch, and what to reload when it changes.',
  type: 'object',
  properties: {
    watchedResources,
    targets: list('The workloads to reload. One that is named twice is reloaded once.', MOST_TARGETS, target),
    rolloutStrategy: rolloutStrategy(FLAG),
    reloadStrategy: reloadStrategy(FLAG),
    pausePeriod: pausePeriod('None unless given.'),
    settle: settle(FLAG),
    batchWindow: batchWindow(FLAG),
    autoReloadAll: flag(
      'Reload each target also for every Secret and ConfigMap that its pod template refers to.',
    ),
    reloadOnCreate: flag(`Reload when a watched object is created. ${FLAG}`),
    reloadOnDelete: flag(`Reload when a watched object is deleted. ${FLAG}`),
    ignoreResources: list('Secrets and ConfigMaps that never lead to a reload.', MOST_NAMES, ignoredResource),
    matchLabels: labels('Only Secrets and ConfigMaps with all of these labels lead to a reload.'),
    alerts,
  },
};
