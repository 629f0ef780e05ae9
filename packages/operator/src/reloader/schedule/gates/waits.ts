/** Gates that open after a time: they settle, collect or space out changes. */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import { firstChange, type Gate, timeText } from './gate.ts';

export const paused: Gate = {
  why: 'paused',
  yieldsToNow: true,
  check({ policy: { pauseMs, pausedBy }, recorded }) {
    if (pauseMs <= 0 || recorded?.reloadedAt === undefined) return undefined;
    return {
      until: recorded.reloadedAt * 1000 + pauseMs,
      message: `Paused for ${timeText(pauseMs)} after the last reload (${pausedBy})`,
    };
  },
};

export const batching: Gate = {
  why: 'batching',
  yieldsToNow: true,
  check(input) {
    const { batchWindowMs } = input.policy;
    if (batchWindowMs <= 0) return undefined;
    const names = `annotation ${FIXED_ANNOTATIONS.batchWindow}, batchWindow or --batch-window`;
    return {
      until: firstChange(input) + batchWindowMs,
      message: `Collects changes for ${timeText(batchWindowMs)} from the first one (${names})`,
    };
  },
};

export const settling: Gate = {
  why: 'settling',
  yieldsToNow: true,
  check(input) {
    const { settleMs, settleMaxMs } = input.policy;
    if (settleMs <= 0) return undefined;
    const names = `annotation ${FIXED_ANNOTATIONS.settle}, settle or --settle`;
    return {
      until: Math.min(input.pending.lastSeen + settleMs, firstChange(input) + settleMaxMs),
      message: `Waits until nothing changes for ${timeText(settleMs)}, ${timeText(settleMaxMs)} at most (${names})`,
    };
  },
};
