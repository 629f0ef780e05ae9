/** Reads settings from annotations: the workload's own, then its namespace's defaults. Collects what is wrong. */
import { parseGoBool } from '../../go/bool.ts';
import { DurationError, LONGEST_DURATION, parseGoDuration } from '../../go/duration.ts';
import type { Problem } from '../model/want.ts';
import { own } from './own.ts';
import type { WantSubject } from './want-subject.ts';

export interface PolicyReader {
  /** Milliseconds; undefined where nobody says anything that can be read. */
  duration(field: string, sign?: 'not-negative' | 'any-sign'): number | undefined;
  /** The text as it stands; anything but the known words is reported, together with what follows from it. */
  word(field: string, known: readonly string[], otherwise: string): string | undefined;
  flag(field: string, annotations: Readonly<Record<string, string>>, where: string): boolean;
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

  return {
    problems,
    duration(field, sign = 'not-negative') {
      for (const { text, where } of said(field)) {
        const ms = milliseconds(text);
        if (typeof ms === 'number' && (ms >= 0 || sign === 'any-sign')) return ms;
        const wrong = ms === 'too-long' ? `is too long (at most ${LONGEST_DURATION})` : 'is no duration';
        const message = `${quote(text)} in ${field} of ${where} ${wrong} and is not used: write one such as "30s", "5m" or "1h30m"`;
        problems.push({ field, reason: 'InvalidDuration', message });
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
    flag(field, annotations, where) {
      const text = own(annotations, field) ?? '';
      const value = parseGoBool(text);
      if (value === undefined && text !== '') {
        const message = `${quote(text)} in ${field} of ${where} is neither true nor false and is not used: write "true" or "false"`;
        problems.push({ field, reason: 'UnknownValue', message });
      }
      return value ?? false;
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

function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}
