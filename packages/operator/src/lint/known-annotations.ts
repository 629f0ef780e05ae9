/** Every known annotation, the objects that it may be on, and its valid values. */
import { DEFAULT_ANNOTATIONS, FIXED_ANNOTATIONS, pausePeriodOf } from '../reloader/model/annotations.ts';
import { APPROVALS } from '../reloader/model/config.ts';
import type { SourceKind } from '../reloader/model/source.ts';
import { MOST_RESTARTS, ON_FAILURE } from '../reloader/model/verify.ts';

export type Place = 'workload' | 'template' | 'source' | 'namespace' | 'config';

export type ValueKind =
  | { readonly type: 'go-bool' }
  /** Only the exact text `true` counts. */
  | { readonly type: 'exact-true' }
  | { readonly type: 'duration'; readonly negative?: boolean }
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'kinds' }
  | { readonly type: 'list'; readonly kind: SourceKind; readonly plain?: boolean }
  | { readonly type: 'names' }
  /** True, false or a time. */
  | { readonly type: 'freeze' }
  | { readonly type: 'text' }
  /** A format for each key: `app.yaml=yaml`. */
  | { readonly type: 'formats' }
  /** An integer of at least 0. */
  | { readonly type: 'count'; readonly most: number }
  | { readonly type: 'rate' }
  /** The number of concurrent rollouts. */
  | { readonly type: 'budget' }
  | { readonly type: 'windows'; readonly shape: 'list' | 'restart-window' }
  | { readonly type: 'wave' }
  /** A CEL expression over source and workload. */
  | { readonly type: 'condition' }
  /** Written by the operator, never by users. */
  | { readonly type: 'own' };

export interface KnownAnnotation {
  readonly places: readonly Place[];
  readonly value: ValueKind;
  /** Only on workloads of this kind. */
  readonly only?: string;
}

const OPT_IN: readonly Place[] = ['workload', 'template', 'namespace'];
const POLICY: readonly Place[] = ['workload', 'namespace'];
const n = DEFAULT_ANNOTATIONS;
const f = FIXED_ANNOTATIONS;
const bool = { type: 'go-bool' } as const;
const own = { type: 'own' } as const;
const list = (kind: SourceKind) => ({ type: 'list', kind }) as const;
const plain = (kind: SourceKind) => ({ type: 'list', kind, plain: true }) as const;

const PAUSABLE = ['StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Rollout', 'DeploymentConfig'];

export const KNOWN: Readonly<Record<string, KnownAnnotation>> = {
  [n.auto]: { places: OPT_IN, value: bool },
  [n.configMapAuto]: { places: OPT_IN, value: bool },
  [n.secretAuto]: { places: OPT_IN, value: bool },
  [n.providerClassAuto]: { places: OPT_IN, value: bool },
  [n.configMapReload]: { places: OPT_IN, value: list('ConfigMap') },
  [n.secretReload]: { places: OPT_IN, value: list('Secret') },
  [n.providerClassReload]: { places: OPT_IN, value: list('SecretProviderClass') },
  [n.configMapExclude]: { places: ['workload'], value: plain('ConfigMap') },
  [n.secretExclude]: { places: ['workload'], value: plain('Secret') },
  [n.providerClassExclude]: { places: ['workload'], value: plain('SecretProviderClass') },
  [n.search]: { places: OPT_IN, value: { type: 'exact-true' } },
  [n.match]: { places: ['source', 'workload', 'namespace'], value: { type: 'kinds' } },
  [n.ignore]: { places: ['source', 'workload', 'config'], value: { type: 'exact-true' } },
  [n.pausePeriod]: { places: POLICY, value: { type: 'duration', negative: true }, only: 'Deployment' },
  ...Object.fromEntries(
    PAUSABLE.map((kind) => [
      pausePeriodOf(kind),
      { places: POLICY, value: { type: 'duration' }, only: kind } satisfies KnownAnnotation,
    ]),
  ),
  [f.kind]: { places: POLICY, value: { type: 'kinds' } },
  [f.keys]: { places: POLICY, value: { type: 'words', words: ['used', 'all'] } },
  [f.rolloutStrategy]: { places: POLICY, value: { type: 'words', words: ['rollout', 'restart'] } },
  [f.settle]: { places: POLICY, value: { type: 'duration' } },
  [f.batchWindow]: { places: POLICY, value: { type: 'duration' } },
  [f.freeze]: { places: POLICY, value: { type: 'freeze' } },
  [f.freezeReason]: { places: POLICY, value: { type: 'text' } },
  [f.syncWindows]: { places: POLICY, value: { type: 'windows', shape: 'list' } },
  [f.restartWindow]: { places: POLICY, value: { type: 'windows', shape: 'restart-window' } },
  [f.rateLimit]: { places: POLICY, value: { type: 'rate' } },
  [f.maxConcurrent]: { places: ['namespace'], value: { type: 'budget' } },
  [f.verify]: { places: POLICY, value: { type: 'words', words: ['true', 'false'] } },
  [f.verifyTimeout]: { places: POLICY, value: { type: 'duration' } },
  [f.verifyStableFor]: { places: POLICY, value: { type: 'duration' } },
  [f.verifyMaxRestarts]: { places: POLICY, value: { type: 'count', most: MOST_RESTARTS } },
  [f.onFailure]: { places: POLICY, value: { type: 'words', words: ON_FAILURE } },
  [f.wave]: { places: ['workload'], value: { type: 'wave' } },
  [f.canary]: { places: ['workload'], value: { type: 'words', words: ['true', 'false'] } },
  [f.condition]: { places: ['workload'], value: { type: 'condition' } },
  [f.approval]: { places: POLICY, value: { type: 'words', words: APPROVALS } },
  [f.approve]: { places: ['workload'], value: { type: 'text' } },
  [f.now]: { places: ['workload'], value: { type: 'text' } },
  [f.maxWait]: { places: POLICY, value: { type: 'duration' } },
  [f.requiredKeys]: { places: ['source'], value: { type: 'names' } },
  [f.format]: { places: ['source'], value: { type: 'formats' } },
  [f.allowFrom]: { places: ['namespace'], value: { type: 'names' } },
  [f.ledger]: { places: [], value: own },
  [f.rolled]: { places: [], value: own },
  [f.restarting]: { places: [], value: own },
  [f.lastReloadedFrom]: { places: [], value: own },
  [f.lastReload]: { places: [], value: own },
  [f.lastHash]: { places: [], value: own },
  [n.pausedAt]: { places: [], value: own },
};
