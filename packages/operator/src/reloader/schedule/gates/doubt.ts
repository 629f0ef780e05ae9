/**
 * Reloads for which only times are evidence, because nothing comparable is recorded (key, notes or etcd lost) and the
 * change was not observed. A few are made at once. Many at one start would restart a fleet that may be up to date, so
 * they wait for a user.
 */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import { MOST_DOUBTS } from '../../model/doubts.ts';
import type { Gate } from './gate.ts';

export const doubt: Gate = {
  why: 'doubt',
  yieldsToNow: true,
  check({ doubt: state, change, causes }) {
    if (state !== 'held' || change.word !== undefined) return undefined;
    const what = `Nothing recorded tells what its pods run with, and by times alone more than ${MOST_DOUBTS} workloads would restart at one start`;
    const release = `"reloader approve --doubts" releases all of them, annotation ${FIXED_ANNOTATIONS.approve}: ${change.id} this one`;
    const message = `${what}: ${release}`;
    return {
      until: undefined,
      message,
      warnings: [
        {
          condition: 'ManyDoubts',
          event: 'ManyDoubts',
          message: `${message}. Older than what they read may be the pods for ${causes()}. Somebody else's rollout of it settles the doubt, too`,
        },
      ],
    };
  },
};

/** Until every workload was examined once, the number of such reloads is unknown. */
export const counting: Gate = {
  why: 'settling',
  yieldsToNow: true,
  check({ doubt: state }) {
    if (state !== 'counting') return undefined;
    return {
      until: undefined,
      message: 'Waits until every workload was looked at once: whether many are as doubtful as this one',
    };
  },
};
