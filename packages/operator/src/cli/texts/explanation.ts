/** The text output of `explain`. */
import type { Explanation, WatchedSource } from '../../api/shapes.ts';
import { sourceName } from '../../api/words.ts';
import { ageText, counted, type Style } from '../../terminal/style.ts';
import { configName, indented, RESULT_TONES, restoreText, shortTime, waitText, whenText } from './names.ts';

export function explanationText(answer: Explanation, style: Style, now: number): string {
  const { workload, summary, problems } = answer;
  const title = style.bold(`${workload.kind} ${workload.namespace}/${workload.name}`);
  return [
    `${title}: ${summary}\n`,
    problems.length === 0 ? '' : `${style.bad(`${counted(problems.length, 'problem')}, told below`)}\n`,
    pending(answer, style, now),
    section(
      'Sources',
      answer.sources.map((source) => sourceLines(source, style)),
      style,
    ),
    section(
      'Not watched',
      answer.notWatched.map(({ kind, namespace, name, because }) =>
        indented(`${kind} ${namespace}/${name}: ${because}`),
      ),
      style,
    ),
    section('How', [policyLines(answer)], style),
    section(
      'Problems',
      answer.problems.map(({ field, message }) => indented(style.bad(`${field}: ${message}`))),
      style,
    ),
    section(
      'Notes',
      answer.notes.map(({ reason, message }) => indented(`${reason}: ${message}`)),
      style,
    ),
    answer.lastError === undefined
      ? ''
      : section('Last error', [indented(style.bad(answer.lastError))], style),
    section(
      'Last reloads',
      answer.history.map((entry) => indented(entryText(entry, now, style))),
      style,
    ),
  ].join('');
}

function section(title: string, lines: readonly string[], style: Style): string {
  return lines.length === 0 ? '' : `\n${style.bold(title)}\n${lines.join('')}`;
}

function pending({ outlook, estimate }: Explanation, style: Style, now: number): string {
  if (outlook.action !== 'reload') return '';
  const at = outlook.at === undefined ? '' : indented(style.warn(`Reload ${whenText(outlook.at, now)}`));
  return `\n${style.bold('Pending')}\n${indented(`Because of ${outlook.because}`)}${outlook.waits
    .map((wait) => indented(style.warn(waitText(wait, now))))
    .join('')}${at}${estimate ? indented(estimate.message) : ''}`;
}

const MARKS: Readonly<Record<'same' | 'differs' | 'unknown', string>> = {
  same: '=',
  differs: '≠',
  unknown: '?',
};

function sourceLines(
  { kind, namespace, name, because, comparison, reload, keys }: WatchedSource,
  style: Style,
): string {
  const state = reload ? 'differs' : comparison === 'unknown' ? 'unknown' : 'same';
  const mark = style[state === 'same' ? 'good' : state === 'differs' ? 'warn' : 'dim'](MARKS[state]);
  const only = keys ? ` (only ${keys.join(', ')})` : '';
  return `  ${mark} ${kind} ${namespace}/${name}${only}\n      ${because}\n`;
}

function policyLines({ policy, ledger, reloads, lastReload, configs, outcome }: Explanation): string {
  const { strategy, settle, batchWindow, pause, frozen, windows, maxWait, verify, onFailure } = policy;
  return [
    `${strategy}; settles for ${settle}`,
    ...(batchWindow ? [`collects changes for ${batchWindow}`] : []),
    ...(pause ? [`pauses for ${pause} after a reload`] : []),
    ...(frozen ? [`frozen (${frozen})`] : []),
    ...(windows ?? []).map((where) => `reloads only inside its windows: ${where}`),
    ...(maxWait ? [`waits for windows no longer than ${maxWait}`] : []),
    ...(verify ? [`verified: ${verify}`] : []),
    ...(onFailure ? [`on failure: ${onFailure}`] : []),
    ...(outcome
      ? [
          `outcome of reload ${outcome.seq}: ${outcome.result}${outcome.message ? `, ${outcome.message}` : ''}`,
        ]
      : []),
    ...(configs.length > 0 ? [`ReloaderConfigs: ${configs.map(configName).join(', ')}`] : []),
    `ledger: ${ledger}; ${counted(reloads, 'reload')}${lastReload === undefined ? '' : `, the last at ${shortTime(lastReload)}`}`,
  ]
    .map(indented)
    .join('');
}

export function entryText(
  { seq, at, sources, configs, result, seconds, message, undoes, restore }: Explanation['history'][number],
  now: number,
  style: Style,
): string {
  const why = sources.map(sourceName).join(', ') || 'an undone reload';
  const asked = configs.length > 0 ? `, asked by ${configs.map(configName).join(', ')}` : '';
  const took = seconds === undefined ? '' : ` after ${seconds}s`;
  const what = undoes === undefined ? '' : ` undoes reload ${undoes},`;
  const said = `${message ? `: ${message}` : ''}${restoreText(restore)}`;
  const shown = style[RESULT_TONES[result]](result);
  return `#${seq}${what} ${ageText(now - Date.parse(at))} ago, ${shown}${took}, because of ${why}${asked}${said}`;
}
