/** Times as answers write them. */
import { formatGoDuration } from '../go/duration.ts';
import type { Later } from '../reloader/schedule/types.ts';
import type { Time, Wait } from './shapes.ts';

/** Milliseconds since the epoch to RFC 3339. */
export function timeOf(ms: number): Time {
  return new Date(ms).toISOString();
}

export function waitOf({ why, until, message, change }: Later): Wait {
  return { why, ...(until !== undefined && { until: timeOf(until) }), message, change };
}

export const durationText = formatGoDuration;
