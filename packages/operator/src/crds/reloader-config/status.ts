/** The status that the operator writes to a ReloaderConfig. */
import { conditions } from '../conditions.ts';
import { count, map, object, text, time, typed, type ValueOf } from '../json-schema.ts';

const targetStatus = object(
  'How one target stands.',
  {
    kind: text('Its kind.'),
    name: text('Its name.'),
    namespace: text('Its namespace.'),
    reloadCount: count('How often it was reloaded because of this object.'),
    lastReloadTime: time('When it was last reloaded because of this object.'),
    pausedUntil: time('Changes are held until then, because `pausePeriod` runs.'),
    deferredReason: text(
      'Why a change that is known is not rolled out yet: batching, paused, window, rate, approval, doubt, refused, failed-elsewhere, wave, canary, capped, invalid, condition, ' +
        'frozen, observing and the like.',
    ),
    pendingSince: time('Since when that change is known.'),
    change: text('Names that change for `reloader approve` and `reloader now`.'),
    deferredUntil: time('When that ends; not there where nobody knows.'),
    lastError: text('Why the last try failed. It goes away with the next reload.'),
  },
  { required: ['kind', 'name', 'namespace'] },
);

export const status = object('What the operator found and did. Written by the operator only.', {
  conditions: conditions(
    'Available, Ready, Progressing and Degraded are always there. Stalled, Reconciling, CrossNamespaceDenied, Shared, ' +
      'QuestionableSpec, SourceFiltered, NotebookContended, NotebookUnavailable, OtherInstallation, Reverted, TooManySources, ' +
      'WaitingForWorkload, RolloutFailed, RestoreRefused, RestoreFought, EvictionBlocked, InvalidWindow, InvalidBudget, InvalidCondition, InvalidOrder, Overdue, RateLimited, ManyDoubts, FailedElsewhere, InvalidChange, LargeFanOut, AlertFailed and ' +
      'WeakDigestKey are there while they are true.',
  ),
  observedGeneration: count('The generation of the spec that this status tells about.'),
  watchedResourceHashes: map(
    'Digest of each watched object that exists, by `namespace/Kind/name`; keyed for Secrets, so that nobody can ' +
      'guess their content from it. At most 2000.',
    typed<string>({ type: 'string' }),
  ),
  reloadCount: count('Reloads of targets because of this object, each target counted by itself.'),
  lastReloadTime: time('When the last of them was.'),
  strategy: text(
    'How its targets are reloaded, by config, target, annotation or flag: env-vars, annotations or restart; several where targets differ.',
  ),
  pending: text('How many targets wait with a change that is not rolled out, and why: `2 (frozen, paused)`.'),
  targetsFound: text('How many of the targets exist: `1/2`.'),
  targetStatus: typed<ValueOf<typeof targetStatus>[]>({
    description: 'Each target by itself.',
    type: 'array',
    'x-kubernetes-list-type': 'atomic',
    items: targetStatus,
  }),
  countedReloads: map(
    "The highest number and the latest time of the reloads that were counted for each workload, by the workload's " +
      'uid. What the workloads recorded beyond it is counted with the next write, so that none is lost or counted twice.',
    typed<string>({ type: 'string' }),
  ),
});
