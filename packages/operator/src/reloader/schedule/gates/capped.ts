/** The cap: not more rollouts at a time than allowed. */
import { parseWorkloadKey } from '../../model/workload.ts';
import type { Gate } from './gate.ts';

const MOST_NAMED = 3;

export const capped: Gate = {
  why: 'capped',
  yieldsToNow: true,
  check({ unfinished, maxUnfinished, passesCap }) {
    if (maxUnfinished === 0 || unfinished.length < maxUnfinished || passesCap) return undefined;
    return { until: undefined, message: cappedMessage(unfinished, maxUnfinished) };
  },
};

function cappedMessage(unfinished: readonly string[], most: number): string {
  const names = unfinished.slice(0, MOST_NAMED).map((key) => {
    const { kind, namespace, name } = parseWorkloadKey(key);
    return `${kind} ${namespace}/${name}`;
  });
  const more = unfinished.length > MOST_NAMED ? ` and ${unfinished.length - MOST_NAMED} more` : '';
  return `--max-unfinished-rollouts allows ${most} at a time: waits for ${names.join(', ')}${more}`;
}
