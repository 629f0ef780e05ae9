/**
 * Doubts: reloads that nothing but times speaks for, because nothing comparable is recorded (key, notes or etcd lost) and
 * nobody saw a change. Few are made at once. Many at one start would restart a fleet that may be up to date: people look.
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
          message: `${message}. Older than what they read may be the pods for ${causes}. Somebody else's rollout of it settles the doubt, too`,
        },
      ],
    };
  },
};

/** Until everybody has been looked at once, nobody knows whether it is one of few. */
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
