/** The inputs about one workload that the rules in this folder read, computed once. */

import { sourceOfLedgerKey } from '../ledger/ledger.ts';
import { isOwnRecord } from '../model/own-records.ts';
import type { PodFacts } from '../model/pod-facts.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceRef } from '../model/source.ts';
import { sourceKey } from '../model/source.ts';
import type { SourceFacts, SourceState } from '../model/source-facts.ts';
import type { Unwanted } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { own } from './own.ts';

export interface WantSubject {
  readonly workload: WorkloadFacts;
  readonly namespace: string;
  /** A Rollout without its own template uses that of the workload it refers to. */
  readonly pod: PodFacts;
  /** The Namespace's annotations as defaults for the workload's; empty unless a setting allows it. */
  readonly defaults: Readonly<Record<string, string>>;
  /** The sources in this workload's record: proof that it was opted in to them. */
  recorded(): ReadonlyMap<string, SourceRef>;
}

export function wantSubject(
  workload: WorkloadFacts,
  world: World,
  settings: ReloaderSettings,
  recordedKeys: Iterable<string>,
): WantSubject {
  const { namespace } = workload.metadata;
  const { workloadRef } = workload;
  const borrowed =
    workload.pod.containers.length === 0 && workloadRef ? world.workload(workloadRef)?.pod : undefined;
  let recorded: ReadonlyMap<string, SourceRef> | undefined;
  return {
    workload,
    namespace,
    pod: borrowed ?? workload.pod,
    defaults: settings.namespaceDefaults ? (world.namespace(namespace)?.annotations ?? {}) : {},
    recorded: () => {
      recorded ??= recordedSources(recordedKeys, namespace);
      return recorded;
    },
  };
}

function recordedSources(keys: Iterable<string>, namespace: string): ReadonlyMap<string, SourceRef> {
  const sources = new Map<string, SourceRef>();
  for (const key of keys) {
    const ref = sourceOfLedgerKey(key, namespace);
    if (ref) sources.set(sourceKey(ref), ref);
  }
  return sources;
}

/** The labels and annotations of a source, also after its deletion; undefined if unknown. */
export function lastMetadataOf(state: SourceState): Pick<SourceFacts, 'labels' | 'annotations'> | undefined {
  if (state.kind === 'present') return state.facts;
  return state.kind === 'gone' ? state.last : undefined;
}

/** Why a source cannot be wanted, by annotations or configs; undefined if it can. */
export function ruledOut(
  ref: SourceRef,
  state: SourceState,
  settings: ReloaderSettings,
): Extract<Unwanted['rule'], 'kind-ignored' | 'source-ignored' | 'generated' | 'own-record'> | undefined {
  const { kind } = ref;
  if (isOwnRecord(ref, settings.operatorNamespace)) return 'own-record';
  if (settings.ignoredSources.has(kind)) return 'kind-ignored';
  if (kind === 'SecretProviderClass' && !settings.csi) return 'kind-ignored';
  if (own(lastMetadataOf(state)?.annotations ?? {}, settings.names.ignore) === 'true')
    return 'source-ignored';
  if (state.kind === 'present' && state.facts.generated && !settings.reloadOnGenerated) return 'generated';
  return undefined;
}
