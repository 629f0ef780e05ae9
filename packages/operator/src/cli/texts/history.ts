/** The text output of `history`. */
import type { HistoryLine } from '../../api/shapes.ts';
import { sourceName } from '../../api/words.ts';
import { ageText, type Style, table } from '../../terminal/style.ts';
import type { CommandIO } from '../command-io.ts';
import { configName, inNamespace, RESULT_TONES, restoreText } from './names.ts';

export interface TableOptions extends Pick<CommandIO, 'clock' | 'columns'> {
  readonly wide: boolean;
}

/** Narrower terminals get fewer columns; `-o wide` has them all. */
const ALL_COLUMNS = 110;

export function historyText(
  reloads: readonly HistoryLine[],
  where: { readonly text: string; readonly isOneNamespace: boolean },
  style: Style,
  { clock, columns, wide }: TableOptions,
): string {
  if (reloads.length === 0) {
    return `No reloads are on record for ${where.text}${where.isOneNamespace ? '; -A lists those of all namespaces' : ''}\n`;
  }
  const now = clock.now();
  const isNarrow = !wide && columns !== undefined && columns < ALL_COLUMNS;
  const isOneNamespace = new Set(reloads.map(({ workload }) => workload.namespace)).size === 1;
  const shown = {
    namespace: !(isNarrow && isOneNamespace),
    waited: !isNarrow,
    rollout: !isNarrow || isOneNamespace,
  };
  const rows = reloads.map(
    ({
      workload,
      seq,
      at,
      result,
      waited,
      rollout,
      seconds,
      sources,
      moreSources,
      configs,
      message,
      undoes,
      restore,
    }) => [
      ageText(now - Date.parse(at)),
      ...(wide ? [at.replace('.000', ''), `#${seq}`] : []),
      ...(shown.namespace ? [workload.namespace] : []),
      inNamespace(workload),
      { text: result, tone: RESULT_TONES[result] },
      ...(shown.waited ? [secondsText(waited)] : []),
      // Entries of earlier versions have only the sum of both.
      ...(shown.rollout ? [secondsText(rollout ?? seconds)] : []),
      [
        ...(undoes === undefined ? [] : [`undoes reload ${undoes}:`]),
        sources.map(sourceName).join(', ') || 'an undone reload',
        ...(moreSources === undefined ? [] : [`and ${moreSources} more`]),
        ...(configs.length > 0 ? [`by ${configs.map(configName).join(', ')}`] : []),
      ].join(' ') +
        (message ? `: ${message}` : '') +
        restoreText(restore),
    ],
  );
  const head = [
    'AGE',
    ...(wide ? ['TIME', 'SEQ'] : []),
    ...(shown.namespace ? ['NAMESPACE'] : []),
    'WORKLOAD',
    'RESULT',
    ...(shown.waited ? ['WAITED'] : []),
    ...(shown.rollout ? ['ROLLOUT'] : []),
    'CAUSE',
  ];
  return table(head, rows, style, wide ? undefined : columns);
}

/** Rounded to tenths: `4.6s`. */
function secondsText(seconds: number | undefined): string {
  return seconds === undefined ? '-' : `${Math.round(10 * seconds) / 10}s`;
}
