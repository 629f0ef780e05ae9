/** Rules and findings in sentences, for people who ask why. */

import type { Finding } from '../reloader/model/plan.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { SourceKind, SourceRef } from '../reloader/model/source.ts';
import { isVerified } from '../reloader/model/verify.ts';
import type { Policy, Unwanted, WantedSource } from '../reloader/model/want.ts';
import type { WorkloadFacts, WorkloadRef } from '../reloader/model/workload.ts';
import type { World } from '../reloader/model/world.ts';
import { annotationsFor, optIn } from '../reloader/want/opt-in.ts';
import { lastMetadataOf } from '../reloader/want/want-subject.ts';

export function sourceName({ kind, namespace, name }: SourceRef): string {
  return `${kind} ${namespace}/${name}`;
}

export function workloadName({ kind, namespace, name }: WorkloadRef): string {
  return `${kind} ${namespace}/${name}`;
}

export type Place = 'workload' | 'template' | 'namespace' | 'setting';

/** The place of the annotation that asks for a source, by the same function that the engine uses. */
export function placeOf(
  workload: WorkloadFacts,
  { ref, annotated, state }: WantedSource,
  world: World,
  settings: ReloaderSettings,
): Place | undefined {
  if (!annotated) return undefined;
  const defaults = settings.namespaceDefaults ? world.namespace(workload.metadata.namespace) : undefined;
  const { from } = optIn(
    {
      workload: workload.annotations,
      template: workload.templateAnnotations,
      namespace: defaults?.annotations ?? {},
    },
    { kind: ref.kind, name: ref.name, annotations: lastMetadataOf(state)?.annotations ?? {} },
    settings,
  );
  return from === 'source' ? undefined : from;
}

const PLACES: Readonly<Record<Place, string>> = {
  workload: 'on the workload',
  template: 'on its pod template',
  namespace: 'on its Namespace',
  setting: 'by flag',
};

export function ruleText(
  { rule, ref, configs }: Pick<WantedSource, 'rule' | 'ref' | 'configs'>,
  place: Place | undefined,
  { names }: ReloaderSettings,
): string {
  const where = place ? ` ${PLACES[place]}` : '';
  const fields = annotationsFor(ref.kind, names);
  const also = configs.length > 0 ? `, and ReloaderConfig ${configs.join(', ')}` : '';
  switch (rule) {
    case 'named':
      return `${fields.reload}${where} names it${also}`;
    case 'search':
      return `${names.search}${where} asks for those with ${names.match}, which it has${also}`;
    case 'auto':
      return `${names.auto}${where} asks for all that the pods use, and they use it${also}`;
    case 'typed-auto':
      return `${fields.auto}${where} asks for all of its kind that the pods use, and they use it${also}`;
    case 'auto-all':
      return `--auto-reload-all asks for all that the pods use, and they use it${also}`;
    case 'config':
      return `ReloaderConfig ${configs.join(', ')} asks for it`;
  }
}

const FINDINGS: Readonly<Record<Finding, string>> = {
  unchanged: 'same as at the last rollout',
  adopted: 'not recorded yet: it is taken as it is',
  absent: 'does not exist',
  created: 'created since the last rollout',
  changed: 'changed since the last rollout',
  deleted: 'deleted since the last rollout',
  recreated: 'deleted and made again with other content',
  restored: 'deleted and made again with the same content',
  rescoped: 'other keys count than before: it is recorded again',
  rekeyed: 'recorded with another digest key: it is recorded again',
  'opted-out': 'no longer asked for',
  'still-gone': 'does not exist',
  unknown: 'cannot be compared',
};

export function findingText(finding: Finding): string {
  return FINDINGS[finding];
}

export function unwantedText({ rule, ref }: Unwanted, { names }: ReloaderSettings): string {
  const fields = annotationsFor(ref.kind, names);
  switch (rule) {
    case 'source-ignored':
      return `it carries ${names.ignore}: "true"`;
    case 'workload-ignored':
      return `the workload carries ${names.ignore}: "true"`;
    case 'excluded':
      return `${fields.exclude} on the workload names it`;
    case 'kind-filtered':
      return `${names.match} or reloader.stakater.com/kind on the workload leaves out its kind`;
    case 'not-selected':
      return `the pods use it, but no annotation and no ReloaderConfig asks for it: set ${names.auto}: "true" or ${fields.reload}: "${ref.name}" on the workload`;
    case 'not-used':
      return 'it is asked for, but no container uses it';
    case 'own-record':
      return 'the operator keeps its own records in it';
    case 'generated':
      return 'a PodConfigMapConfig made it: --reload-on-generated lets those count';
    case 'config-ignores':
      return 'ignoreResources of the ReloaderConfig names it';
    case 'labels-differ':
      return 'its labels are not those that the ReloaderConfig asks for';
    case 'kind-ignored':
      return ignoredKind(ref.kind);
  }
}

function ignoredKind(kind: SourceKind): string {
  return kind === 'SecretProviderClass'
    ? 'SecretProviderClasses count only with --enable-csi-integration'
    : 'a flag of the operator leaves out its kind, or the kind of the workload';
}

/** The consequence of a failed verification; undefined if it only holds the workload's peers. */
export function onFailureText(
  kind: WorkloadFacts['kind'],
  { verify, onFailure }: Policy,
  { restoreConfigMaps }: Pick<ReloaderSettings, 'restoreConfigMaps'>,
): string | undefined {
  if (!verify || onFailure !== 'restore' || !isVerified(kind)) return undefined;
  return restoreConfigMaps
    ? 'ConfigMaps that changed are put back once to the last content that worked, unless somebody owns them'
    : 'nothing is put back, because the operator runs without --restore-config-maps';
}

/** How a reload is made. */
export function howText(kind: WorkloadFacts['kind'], policy: Policy, undoes?: number): string {
  if (undoes !== undefined) {
    return `reload ${undoes}, which failed, is undone: pods of the earlier revision are not restarted, and if it is gone this is a ${howText(kind, policy)}`;
  }
  if (kind === 'CronJob') return policy.cronJob === 'run' ? 'a Job is run now' : 'the next run reads it';
  if (kind === 'Job') return 'the Job is made again';
  if (policy.rolloutStrategy === 'restart') return 'pods are evicted one by one (restart)';
  return `rolling update (${policy.reloadStrategy})`;
}
