/** Gates that users close and open: a freeze, observe mode, and settings that cannot be read. */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { Freeze } from '../../model/want.ts';
import type { Gate } from './gate.ts';

export const frozen: Gate = {
  why: 'frozen',
  stopsWhatBegan: true,
  check({ policy, workload, now }) {
    const holding = policy.freezes.filter(({ until }) => until === undefined || until > now);
    const endless = holding.find(({ until }) => until === undefined);
    const longest = endless ?? holding.toSorted((a, b) => (b.until ?? 0) - (a.until ?? 0))[0];
    if (!longest) return undefined;
    const others = holding.filter((each) => each !== longest);
    return { until: longest.until, message: freezeMessage(longest, others, workload.metadata.namespace) };
  },
};

function freezeMessage(longest: Freeze, others: readonly Freeze[], namespace: string): string {
  const { until, reason } = longest;
  const why = reason === undefined ? '' : ` (${reason})`;
  const end = until === undefined ? 'remove it to reload' : 'it ends at the time that it names';
  const where = longest.place === 'cluster' ? CLUSTER : placeText(longest.place, namespace);
  const also = others.map(({ place }) => `; ${placeText(place, namespace)} is frozen, too`);
  return `Frozen by annotation ${FIXED_ANNOTATIONS.freeze} on ${where}${why}: ${end}${also.join('')}`;
}

const CLUSTER = "the operator's Namespace, which freezes the whole cluster";

function placeText(place: Freeze['place'], namespace: string): string {
  if (place === 'cluster') return 'the whole cluster';
  return place === 'namespace' ? `Namespace ${namespace}` : 'the workload';
}

export const observing: Gate = {
  why: 'observing',
  stopsWhatBegan: true,
  check({ mode }) {
    if (mode !== 'observe') return undefined;
    return {
      until: undefined,
      message: 'Observe mode: start with --mode=reload to reload for this change',
    };
  },
};

/** A window that cannot be read counts as closed. */
export const invalid: Gate = {
  why: 'invalid',
  check({ policy }) {
    if (policy.invalid === undefined) return undefined;
    return { until: undefined, message: `Held until this is put right: ${policy.invalid}` };
  },
};
