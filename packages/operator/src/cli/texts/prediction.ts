/** `what-if` for people. */
import type { Prediction, WhatIf } from '../../api/shapes.ts';
import { type Style, table } from '../style.ts';
import type { Surroundings } from '../surroundings.ts';
import { indented, inNamespace, waitText, whenText } from './names.ts';

export function predictionText(
  { source, change, reloads, others }: WhatIf,
  style: Style,
  { clock, columns }: Pick<Surroundings, 'clock' | 'columns'>,
): string {
  const now = clock.now();
  const subject = `If ${source.kind} ${source.namespace}/${source.name} were ${change} now`;
  const head =
    reloads.length === 0
      ? `${subject}, nothing would restart\n`
      : `${subject}, ${reloads.length === 1 ? '1 workload' : `${reloads.length} workloads`} would restart\n`;
  return [
    style.bold(head),
    reloads.length === 0 ? '' : `\n${order(reloads, style, now, columns)}`,
    ...reloads.filter(({ waits }) => waits.length > 0).map((each) => waitsOf(each, now)),
    others.length === 0 ? '' : `\n${style.bold('Would not restart')}\n`,
    ...others.map(({ workload, because }) =>
      indented(`${inNamespace(workload)} in ${workload.namespace}: ${because}`),
    ),
  ].join('');
}

function order(
  reloads: readonly Prediction[],
  style: Style,
  now: number,
  columns: number | undefined,
): string {
  const rows = reloads.map(({ order: rank, workload, at, rule, configs, how }) => [
    rank === undefined ? '-' : String(rank),
    workload.namespace,
    inNamespace(workload),
    at === undefined ? 'held' : whenText(at, now),
    rule === 'config' ? `config ${configs.join(', ')}` : rule,
    how,
  ]);
  return table(['ORDER', 'NAMESPACE', 'WORKLOAD', 'WHEN', 'RULE', 'HOW'], rows, style, columns);
}

function waitsOf({ workload, waits }: Prediction, now: number): string {
  return waits.map((wait) => indented(`${inNamespace(workload)} ${waitText(wait, now)}`)).join('');
}
