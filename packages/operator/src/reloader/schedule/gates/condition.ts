/** Conditions on labels and other metadata of source and workload. Neither `now` nor an approval overrides them. */
import type { UnmetCondition } from '../../model/condition.ts';
import type { Warning } from '../types.ts';
import type { Gate } from './gate.ts';

const LONGEST_QUOTE = 120;

export const condition: Gate = {
  why: 'condition',
  check({ unmet = [] }) {
    const [first, ...more] = unmet.toSorted(
      (a, b) => Number(b.problem !== undefined) - Number(a.problem !== undefined),
    );
    if (!first) return undefined;
    const message = `${textOf(first)}${more.length > 0 ? `; and ${more.length} more` : ''}`;
    return {
      until: undefined,
      message,
      ...(first.problem !== undefined && { warnings: [invalid(message)] }),
    };
  },
};

function textOf({ text, where, source: { kind, namespace, name }, problem }: UnmetCondition): string {
  const quoted = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  const of = `for ${kind} ${namespace}/${name}: ${quoted}`;
  return problem === undefined
    ? `Held while its condition is false (${where}) ${of}`
    : `Held because its condition cannot be evaluated (${where}), ${problem}, ${of}`;
}

function invalid(message: string): Warning {
  return { condition: 'InvalidCondition', event: 'InvalidCondition', message };
}
