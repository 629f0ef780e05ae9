/** `KIND/NAME` as people write it for kubectl: full names, plurals, short names, any case. */

import { nearest } from '../reloader/model/nearest.ts';
import type { SourceKind } from '../reloader/model/source.ts';
import type { WorkloadKind } from '../reloader/model/workload.ts';
import { UsageError } from '../settings/usage-error.ts';

const WORKLOADS: Readonly<Record<WorkloadKind, readonly string[]>> = {
  Deployment: ['deployment', 'deployments', 'deploy', 'deployment.apps', 'deployments.apps'],
  StatefulSet: ['statefulset', 'statefulsets', 'sts', 'statefulset.apps', 'statefulsets.apps'],
  DaemonSet: ['daemonset', 'daemonsets', 'ds', 'daemonset.apps', 'daemonsets.apps'],
  CronJob: ['cronjob', 'cronjobs', 'cj', 'cronjob.batch', 'cronjobs.batch'],
  Job: ['job', 'jobs', 'job.batch', 'jobs.batch'],
  Rollout: ['rollout', 'rollouts', 'ro', 'rollout.argoproj.io', 'rollouts.argoproj.io'],
  DeploymentConfig: [
    'deploymentconfig',
    'deploymentconfigs',
    'dc',
    'deploymentconfig.apps.openshift.io',
    'deploymentconfigs.apps.openshift.io',
  ],
};

const SOURCES: Readonly<Record<SourceKind, readonly string[]>> = {
  Secret: ['secret', 'secrets'],
  ConfigMap: ['configmap', 'configmaps', 'cm'],
  SecretProviderClass: ['secretproviderclass', 'secretproviderclasses', 'spc'],
};

export interface Named<K extends string> {
  readonly kind: K;
  readonly name: string;
}

/** `deployment/web sts/db`, or `deployment web shop`: as with kubectl, each named once. */
export function parseWorkloads(words: readonly string[]): readonly Named<WorkloadKind>[] {
  return parseAll(words, WORKLOADS, 'deployment/web');
}

export function parseSources(words: readonly string[]): readonly Named<SourceKind>[] {
  return parseAll(words, SOURCES, 'secret/credentials');
}

function parseAll<K extends string>(
  words: readonly string[],
  known: Readonly<Record<K, readonly string[]>>,
  example: string,
): readonly Named<K>[] {
  const [first = '', ...names] = words;
  const pairs = words.some((word) => word.includes('/'))
    ? words.map((word) => word.split('/'))
    : names.length === 0
      ? [[first]]
      : names.map((name) => [first, name]);
  const parsed = pairs.map((pair) => parse(pair, known, example));
  return [...new Map(parsed.map((each) => [`${each.kind}/${each.name}`, each])).values()];
}

function parse<K extends string>(
  words: readonly string[],
  known: Readonly<Record<K, readonly string[]>>,
  example: string,
): Named<K> {
  const [word = '', name, ...rest] = words;
  const kinds = Object.keys(known) as K[];
  const kind = kinds.find((each) => known[each].includes(word.toLowerCase()));
  if (!kind) {
    const close = nearest(
      word,
      kinds.flatMap((each) => [...known[each]]),
    );
    const hint = close ? `did you mean ${close}?` : `there are ${kinds.join(', ')}`;
    throw new UsageError(`Unknown kind "${word}": ${hint} Write it as in ${example}`);
  }
  if (!name || rest.length > 0) throw new UsageError(`Which ${kind}? Write it as in ${example}`);
  return { kind, name };
}
