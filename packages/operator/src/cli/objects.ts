/** `KIND/NAME` in all forms that kubectl accepts: full names, plurals, short names, any case. */

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

/** `deployment/web sts/db`, or `deployment web shop`, as with kubectl; duplicates are removed. */
export function parseWorkloads(words: readonly string[]): readonly Named<WorkloadKind>[] {
  return parseAll(words, WORKLOAD_GRAMMAR);
}

export function parseSources(words: readonly string[]): readonly Named<SourceKind>[] {
  return parseAll(words, SOURCE_GRAMMAR);
}

/** The kinds that a command accepts, and the command to suggest for the other kinds. */
interface Grammar<K extends string> {
  readonly known: Readonly<Record<K, readonly string[]>>;
  readonly example: string;
  readonly others: readonly string[];
  readonly advice: string;
}

const WORKLOAD_GRAMMAR: Grammar<WorkloadKind> = {
  known: WORKLOADS,
  example: 'deployment/web',
  others: Object.values(SOURCES).flat(),
  advice: 'name a workload here, or see "reloader what-if" for the workloads that use a source',
};

const SOURCE_GRAMMAR: Grammar<SourceKind> = {
  known: SOURCES,
  example: 'secret/credentials',
  others: Object.values(WORKLOADS).flat(),
  advice: 'name a source here, or see "reloader explain" for what a workload waits for',
};

function parseAll<K extends string>(words: readonly string[], grammar: Grammar<K>): readonly Named<K>[] {
  const [first = '', ...names] = words;
  const pairs = words.some((word) => word.includes('/'))
    ? words.map((word) => word.split('/'))
    : names.length === 0
      ? [[first]]
      : names.map((name) => [first, name]);
  const parsed = pairs.map((pair) => parse(pair, grammar));
  return [...new Map(parsed.map((each) => [`${each.kind}/${each.name}`, each])).values()];
}

function parse<K extends string>(words: readonly string[], grammar: Grammar<K>): Named<K> {
  const [word = '', name, ...rest] = words;
  const { known, example } = grammar;
  const kinds = Object.keys(known) as K[];
  const kind = kinds.find((each) => known[each].includes(word.toLowerCase()));
  if (!kind) throw new UsageError(`${unknownKind(word, grammar)} Write it as in ${example}`);
  if (!name || rest.length > 0) throw new UsageError(`Which ${kind}? Write it as in ${example}`);
  return { kind, name };
}

function unknownKind<K extends string>(word: string, { known, others, advice }: Grammar<K>): string {
  if (others.includes(word.toLowerCase())) return `"${word}" is not a kind for this command: ${advice}.`;
  const close = nearest(word, Object.values<readonly string[]>(known).flat());
  return `Unknown kind "${word}": ${close ? `did you mean ${close}?` : `there are ${Object.keys(known).join(', ')}.`}`;
}
