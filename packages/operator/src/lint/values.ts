/** Checks values of annotations: booleans, durations, words, lists. */
import { systemClock } from '@reloader/runtime';
import { parseGoBool } from '../go/bool.ts';
import { DurationError, parseGoDuration } from '../go/duration.ts';
import { conditionProblem } from '../reloader/conditions/read.ts';
import { parseConcurrency } from '../reloader/model/budget.ts';
import { nearest } from '../reloader/model/nearest.ts';
import { parseWave, WAVE_NEEDED } from '../reloader/model/order.ts';
import { parseRate } from '../reloader/model/rate.ts';
import { parseKindFilter } from '../reloader/want/kind-filter.ts';
import { neverOpen } from '../reloader/windows/opening.ts';
import { parseTime, readRestartWindow, readWindowsText } from '../reloader/windows/read.ts';
import { formatRules } from '../validate/rule.ts';
import type { Corpus } from './corpus.ts';
import type { Manifest } from './documents.ts';
import type { Report } from './finding.ts';
import type { Place, ValueKind } from './known-annotations.ts';
import { checkList, type Say } from './lists.ts';

export interface Said {
  readonly name: string;
  readonly value: unknown;
  readonly known: ValueKind;
  readonly place: Place;
  readonly at: readonly (string | number)[];
}

export function checkValue(
  { name, value, known, place, at }: Said,
  manifest: Manifest,
  corpus: Corpus,
  report: Report,
): void {
  const say = (rule: string, message: string): void => report(name, rule, message, at);
  if (typeof value !== 'string') {
    const written = value === null ? 'nothing' : JSON.stringify(value);
    say(
      'not-a-string',
      `is ${written} without quotes, which the API server refuses: write ${JSON.stringify(written)}`,
    );
    return;
  }
  if (known.type === 'go-bool') checkBool(value, say);
  if (known.type === 'exact-true') checkExact(value, say);
  if (known.type === 'duration') checkDuration(value, known.negative === true, say);
  if (known.type === 'words') checkWord(value, known.words, say);
  if (known.type === 'names') checkNames(value, say);
  if (known.type === 'rate' && parseRate(value) === undefined)
    say(
      'bad-rate',
      `is ${JSON.stringify(value)}: write how many an hour and how many at once, as in "6/20", or "0" for no limit`,
    );
  if (known.type === 'budget') checkBudget(value, say);
  if (known.type === 'count' && !(/^\d{1,6}$/.test(value) && Number(value) <= known.most))
    say('bad-number', `is ${JSON.stringify(value)}: write a whole number from 0 to ${known.most}`);
  if (known.type === 'wave' && parseWave(value) === undefined)
    say('bad-wave', `is ${JSON.stringify(value)}, which holds the workload: it ${WAVE_NEEDED}`);
  if (known.type === 'condition') checkCondition(value, say);
  if (known.type === 'freeze') checkFreeze(value, say);
  if (known.type === 'formats') checkFormats(value, say);
  if (known.type === 'windows') checkWindows(value, known.shape, say);
  if (known.type === 'list') checkList(value, known, manifest, corpus, say);
  if (known.type !== 'kinds') return;
  if (place === 'source') checkExact(value, say);
  else checkKinds(value, say);
}

function checkBool(value: string, say: Say): void {
  if (parseGoBool(value) !== undefined) return;
  say('bad-boolean', `is ${JSON.stringify(value)}, which is neither true nor false: write "true" or "false"`);
}

function checkBudget(value: string, say: Say): void {
  const read = parseConcurrency(value);
  if (read && 'count' in read) return;
  say(
    'bad-budget',
    `is ${JSON.stringify(value)}, which holds all workloads of the Namespace: write how many rollouts may run at a time, such as "3"`,
  );
}

function checkCondition(value: string, say: Say): void {
  const wrong = value === '' ? undefined : conditionProblem(value);
  if (wrong !== undefined) say('bad-condition', `${wrong}; the workload is held`);
}

function checkFreeze(value: string, say: Say): void {
  if (parseGoBool(value) !== undefined || parseTime(value) !== undefined) return;
  say(
    'bad-freeze',
    `is ${JSON.stringify(value)}, which is neither true nor false nor a time, and freezes: write "true", "false" or a time such as "2026-12-24T18:00:00Z"`,
  );
}

function checkWindows(value: string, shape: 'list' | 'restart-window', say: Say): void {
  const { windows, problems } = shape === 'list' ? readWindowsText(value) : readRestartWindow(value);
  for (const { path, message } of problems) say('bad-window', `${path} ${message}`.trim());
  const never = neverOpen(windows, systemClock.now());
  if (problems.length === 0 && never) say('bad-window', 'never opens: nothing would be reloaded');
}

function checkExact(value: string, say: Say): void {
  if (value === 'true' || value === 'false') return;
  say('bad-boolean', `is ${JSON.stringify(value)}: only "true" counts, to the letter`);
}

function checkDuration(value: string, negative: boolean, say: Say): void {
  try {
    const ms = parseGoDuration(value);
    if (ms < 0 || (ms === 0 && negative))
      say('bad-duration', `is ${JSON.stringify(value)}, which is not longer than nothing`);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    say(
      'bad-duration',
      `is ${JSON.stringify(value)}, which is no duration: write one such as "30s", "5m" or "1h30m"`,
    );
  }
}

function checkWord(value: string, words: readonly string[], say: Say): void {
  if (words.includes(value)) return;
  const close = nearest(value, words);
  say(
    'unknown-value',
    `is ${JSON.stringify(value)}: ${close ? `did you mean ${close}?` : `there are ${words.join(', ')}`}`,
  );
}

function checkKinds(value: string, say: Say): void {
  if (value === 'true' || value === 'false') {
    say(
      'wrong-object',
      `is ${JSON.stringify(value)} on a workload, where it names kinds such as "configmap|secret": "true" belongs on Secrets and ConfigMaps`,
    );
    return;
  }
  const { kinds, unknown } = parseKindFilter(value);
  for (const word of unknown)
    say(
      'unknown-value',
      `names ${JSON.stringify(word)}, which is no kind of source: use configmap, secret, secretproviderclass, joined by "|"`,
    );
  if (kinds.length === 0 && unknown.length === 0) say('empty', 'is empty and has no effect');
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function checkNames(value: string, say: Say): void {
  const names = value.split(',').map((name) => name.trim());
  if (names.every((name) => name === '')) say('empty', 'is empty and allows nobody');
  for (const name of names) {
    if (name !== '' && !NAMESPACE.test(name))
      say(
        'bad-name',
        `names ${JSON.stringify(name)}, which no namespace can be called: write names, separated by commas`,
      );
  }
}

function checkFormats(value: string, say: Say): void {
  const broken = formatRules(value, '').find((rule) => rule.broken !== undefined)?.broken;
  if (broken !== undefined) say('bad-format', `is ${JSON.stringify(value)}: ${broken}`);
}
