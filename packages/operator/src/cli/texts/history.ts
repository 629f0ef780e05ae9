/** `history` for people. */
import type { HistoryLine } from '../../api/shapes.ts';
import { ageText, type Style, table } from '../style.ts';
import type { Surroundings } from '../surroundings.ts';
import { inNamespace } from './names.ts';

export function historyText(
  reloads: readonly HistoryLine[],
  where: string,
  style: Style,
  { clock, columns }: Pick<Surroundings, 'clock' | 'columns'>,
): string {
  if (reloads.length === 0) return `No reloads are on record for ${where}\n`;
  const now = clock.now();
  const rows = reloads.map(({ workload, at, result, seconds, sources, configs, message }) => [
    ageText(now - at * 1000),
    workload.namespace,
    inNamespace(workload),
    result,
    seconds === undefined ? '-' : `${seconds}s`,
    [
      sources.join(', ') || 'an undone reload',
      ...(configs.length > 0 ? [`by ${configs.join(', ')}`] : []),
    ].join(' ') + (message ? `: ${message}` : ''),
  ]);
  return table(['AGE', 'NAMESPACE', 'WORKLOAD', 'RESULT', 'TOOK', 'CAUSE'], rows, style, columns);
}
