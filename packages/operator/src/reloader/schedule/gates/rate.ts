/** The rate limit of one workload: manual edits do not reach it, two writers that fight over a Secret do. */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import { allowedAt } from '../../model/rate.ts';
import type { Gate } from './gate.ts';

export const rate: Gate = {
  why: 'rate',
  yieldsToNow: true,
  check({ policy: { rateLimit }, recorded, workload, causes, now }) {
    if (!rateLimit) return undefined;
    const until = allowedAt(rateLimit, recorded?.rateClock, now);
    if (until <= now) return undefined;
    const { perHour, burst } = rateLimit;
    const { kind, metadata } = workload;
    const limit = `${perHour} an hour after ${burst} at once (annotation ${FIXED_ANNOTATIONS.rateLimit}, rateLimit or --reload-rate)`;
    const command = `reloader now ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace}`;
    const message = `Reloaded too often: ${limit}`;
    return {
      until,
      message,
      warnings: [
        {
          condition: 'RateLimited',
          event: 'ReloadRateLimited',
          message: `${message}. It changes again and again: ${causes()}. Find out who writes it; "${command}" lets one reload through`,
        },
      ],
    };
  },
};
