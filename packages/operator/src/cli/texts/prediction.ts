/** `what-if` for people. */
import type { Prediction, WhatIf } from '../../api/shapes.ts';
import { type Cell, counted, type Style, table } from '../../terminal/style.ts';
import type { TableOptions } from './history.ts';
import { distanceText, indented, inNamespace, waitText, whenText } from './names.ts';

export function predictionText(
  { source, change, warning, estimate, reloads, others }: WhatIf,
  style: Style,
  options: TableOptions & { readonly isBeforeInstallation?: boolean | undefined },
): string {
  const now = options.clock.now();
  const name = `${source.kind} ${source.namespace}/${source.name}`;
  const subject = options.isBeforeInstallation
    ? `After installing the operator, if ${name} were ${change}`
    : `If ${name} were ${change} now`;
  const head =
    reloads.length === 0
      ? `${subject}, nothing would restart\n`
      : `${subject}, ${counted(reloads.length, 'workload')} would restart\n`;
  return [
    style.bold(head),
    warning === undefined ? '' : `${style.warn(warning)}\n`,
    estimate === undefined ? '' : `${estimate.message}\n`,
    reloads.length === 0 ? '' : `\n${order(reloads, style, now, options)}`,
    ...reloads.filter(({ waits }) => waits.length > 0).map((each) => waitsOf(each, now)),
    ...reloads.map(failureOf),
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
  { columns, wide }: TableOptions,
): string {
  const rows = reloads.map(({ order: rank, workload, at, rule, configs, how }) => [
    rank === undefined ? '-' : String(rank),
    workload.namespace,
    inNamespace(workload),
    whenCell(at, now, wide),
    rule === 'config' ? `config ${configs.join(', ')}` : rule,
    how,
  ]);
  return table(
    ['ORDER', 'NAMESPACE', 'WORKLOAD', 'WHEN', 'RULE', 'HOW'],
    rows,
    style,
    wide ? undefined : columns,
  );
}

function whenCell(at: string | undefined, now: number, wide: boolean): Cell {
  if (at === undefined) return { text: 'held', tone: 'warn' };
  return wide ? whenText(at, now) : distanceText(at, now);
}

function failureOf({ workload, onFailure }: Prediction): string {
  return onFailure === undefined ? '' : indented(`${inNamespace(workload)}, should it fail: ${onFailure}`);
}

function waitsOf({ workload, waits }: Prediction, now: number): string {
  return waits.map((wait) => indented(`${inNamespace(workload)} ${waitText(wait, now)}`)).join('');
}
