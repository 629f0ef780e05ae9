/** What the rules of wanting read of one workload, worked out once. */

import { parseLedger, sourceOfLedgerKey } from '../ledger/ledger.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { PodFacts } from '../model/pod-facts.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceKind, SourceRef } from '../model/source.ts';
import { sourceKey } from '../model/source.ts';
import type { SourceFacts, SourceState } from '../model/source-facts.ts';
import type { Unwanted } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { own } from './own.ts';

export interface WantSubject {
  readonly workload: WorkloadFacts;
  readonly namespace: string;
  /** A Rollout without a template of its own uses that of the workload it refers to. */
  readonly pod: PodFacts;
  /** Annotations of the Namespace that stand for what a workload does not say; empty unless a setting allows it. */
  readonly defaults: Readonly<Record<string, string>>;
  /** What this workload's own ledger holds: proof that these were opted in to. */
  recorded(): ReadonlyMap<string, SourceRef>;
}

export function wantSubject(workload: WorkloadFacts, world: World, settings: ReloaderSettings): WantSubject {
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
      recorded ??= recordedSources(workload);
      return recorded;
    },
  };
}

function recordedSources({ annotations, metadata }: WorkloadFacts): ReadonlyMap<string, SourceRef> {
  const sources = new Map<string, SourceRef>();
  const parsed = parseLedger(own(annotations, FIXED_ANNOTATIONS.ledger));
  // The ledger of another workload that was copied proves nothing.
  if (parsed.kind !== 'ledger' || parsed.ledger.uid !== metadata.uid) return sources;
  for (const key of parsed.ledger.sources.keys()) {
    const ref = sourceOfLedgerKey(key, metadata.namespace);
    if (ref) sources.set(sourceKey(ref), ref);
  }
  return sources;
}

/** What a source says about itself, also after its deletion; undefined where nobody knows. */
export function wordsOf(state: SourceState): Pick<SourceFacts, 'labels' | 'annotations'> | undefined {
  if (state.kind === 'present') return state.facts;
  return state.kind === 'gone' ? state.last : undefined;
}

/** Why a source is out of the question, whoever asks for it. */
export function ruledOut(
  kind: SourceKind,
  state: SourceState,
  settings: ReloaderSettings,
): Extract<Unwanted['rule'], 'kind-ignored' | 'source-ignored' | 'generated'> | undefined {
  if (settings.ignoredSources.has(kind)) return 'kind-ignored';
  if (kind === 'SecretProviderClass' && !settings.csi) return 'kind-ignored';
  if (own(wordsOf(state)?.annotations ?? {}, settings.names.ignore) === 'true') return 'source-ignored';
  if (state.kind === 'present' && state.facts.generated && !settings.reloadOnGenerated) return 'generated';
  return undefined;
}
