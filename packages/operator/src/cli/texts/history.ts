/** `history` for people. */
import type { HistoryLine } from '../../api/shapes.ts';
import { sourceName } from '../../api/words.ts';
import { ageText, type Style, table } from '../../terminal/style.ts';
import type { Surroundings } from '../surroundings.ts';
import { configName, inNamespace, RESULT_TONES, restoreText } from './names.ts';

export interface TableOptions extends Pick<Surroundings, 'clock' | 'columns'> {
  readonly wide: boolean;
}

export function historyText(
  reloads: readonly HistoryLine[],
  where: string,
  style: Style,
  { clock, columns, wide }: TableOptions,
): string {
  if (reloads.length === 0) return `No reloads are on record for ${where}\n`;
  const now = clock.now();
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
      workload.namespace,
      inNamespace(workload),
      { text: result, tone: RESULT_TONES[result] },
      secondsText(waited),
      // Of a version before these two were told apart.
      secondsText(rollout ?? seconds),
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
    'NAMESPACE',
    'WORKLOAD',
    'RESULT',
    'WAITED',
    'ROLLOUT',
    'CAUSE',
  ];
  return table(head, rows, style, wide ? undefined : columns);
}

function secondsText(seconds: number | undefined): string {
  return seconds === undefined ? '-' : `${seconds}s`;
}
