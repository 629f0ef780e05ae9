/** Reads settings from annotations: the workload's own, then its namespace's defaults. Collects the problems. */
import { DurationError, LONGEST_DURATION, parseGoDuration } from '../../go/duration.ts';
import { parseRate, type RateLimit } from '../model/rate.ts';
import type { Problem } from '../model/want.ts';
import { own } from './own.ts';
import type { WantSubject } from './want-subject.ts';

type Sign = 'not-negative' | 'any-sign';

export interface PolicyReader {
  /** Milliseconds; undefined if there is no valid value. */
  duration(field: string, sign?: Sign): number | undefined;
  /** Reads these annotations only. */
  durationOf(field: string, annotations: Readonly<Record<string, string>>, where: string): number | undefined;
  rate(field: string): RateLimit | 'off' | undefined;
  /** An integer from 0 to `most`. */
  count(field: string, most: number): number | undefined;
  /** The raw text. A value other than the known words is reported, with `otherwise` as the consequence. */
  word(field: string, known: readonly string[], otherwise: string): string | undefined;
  readonly problems: readonly Problem[];
}

const LONGEST_QUOTE = 60;

export function createPolicyReader({ workload, namespace, defaults }: WantSubject): PolicyReader {
  const problems: Problem[] = [];
  const places = [
    { annotations: workload.annotations, where: 'the workload' },
    { annotations: defaults, where: `Namespace ${namespace}` },
  ];
  const said = (field: string): { text: string; where: string }[] =>
    places
      .map(({ annotations, where }) => ({ text: own(annotations, field) ?? '', where }))
      .filter(({ text }) => text !== '');

  const read = (field: string, text: string, where: string, sign: Sign): number | undefined => {
    const ms = milliseconds(text);
    if (typeof ms === 'number' && (ms >= 0 || sign === 'any-sign')) return ms;
    const wrong = ms === 'too-long' ? `is too long (at most ${LONGEST_DURATION})` : 'is no duration';
    const message = `${quote(text)} in ${field} of ${where} ${wrong} and is not used: write one such as "30s", "5m" or "1h30m"`;
    problems.push({ field, reason: 'InvalidDuration', message });
    return undefined;
  };

  return {
    problems,
    duration(field, sign = 'not-negative') {
      for (const { text, where } of said(field)) {
        const ms = read(field, text, where, sign);
        if (ms !== undefined) return ms;
      }
      return undefined;
    },
    durationOf(field, annotations, where) {
      const text = own(annotations, field) ?? '';
      return text === '' ? undefined : read(field, text, where, 'not-negative');
    },
    rate(field) {
      for (const { text, where } of said(field)) {
        const rate = parseRate(text);
        if (rate !== undefined) return rate;
        const message = `${quote(text)} in ${field} of ${where} is no rate and is not used: write how many an hour and how many at once, as in "6/20", or "0" for no limit`;
        problems.push({ field, reason: 'InvalidRate', message });
      }
      return undefined;
    },
    count(field, most) {
      for (const { text, where } of said(field)) {
        const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
        if (count <= most) return count;
        const message = `${quote(text)} in ${field} of ${where} is not used: write a whole number from 0 to ${most}`;
        problems.push({ field, reason: 'InvalidNumber', message });
      }
      return undefined;
    },
    word(field, known, otherwise) {
      const [first] = said(field);
      if (first && !known.includes(first.text)) {
        const words = known.map((word) => JSON.stringify(word)).join(' or ');
        const message = `${quote(first.text)} in ${field} of ${first.where} is not known, ${otherwise}: write ${words}`;
        problems.push({ field, reason: 'UnknownValue', message });
      }
      return first?.text;
    },
  };
}

function milliseconds(text: string): number | 'too-long' | undefined {
  try {
    return parseGoDuration(text);
  } catch (error) {
    return error instanceof DurationError && error.tooLong ? 'too-long' : undefined;
  }
}

export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}
