/** The text output of `what-if`. */
import type { Prediction, WhatIf } from '../../api/shapes.ts';
import { type Cell, counted, type Style, table } from '../../terminal/style.ts';
import type { TableOptions } from './history.ts';
import { configName, distanceText, indented, inNamespace, waitText, whenText } from './names.ts';

export function predictionText(
  { source, change, warning, estimate, reloads, others }: WhatIf,
  style: Style,
  options: TableOptions & { readonly isBeforeInstallation?: boolean | undefined },
): string {
  const now = options.clock.now();
  const name = `${source.kind} ${source.namespace}/${source.name}`;
  const missing = change === 'created' ? `${name} does not exist. ` : '';
  const what = missing === '' ? name : 'it';
  const subject = options.isBeforeInstallation
    ? `${missing}After installing the operator, if ${what} were ${change}`
    : `${missing}If ${what} were ${change} now`;
  const head =
    reloads.length === 0
      ? `${subject}, nothing would restart`
      : `${subject}, ${counted(reloads.length, 'workload')} would restart`;
  return [
    `${style.bold(head)}\n`,
    warning === undefined ? '' : `${style.warn(warning)}\n`,
    estimate === undefined ? '' : `${estimate.message}\n`,
    reloads.length === 0
      ? ''
      : `\n${order(reloads, style, now, { ...options, namespace: source.namespace })}`,
    ...waitsOf(reloads, now),
    ...reloads.map(failureOf),
    others.length === 0 ? '' : `\n${style.bold('Would not restart')}\n`,
    ...others.map(({ workload, because }) =>
      indented(`${inNamespace(workload)} in ${workload.namespace}: ${because}`),
    ),
  ].join('');
}

/** Narrower terminals get fewer or combined columns. */
const ALL_COLUMNS = 110;

function order(
  reloads: readonly Prediction[],
  style: Style,
  now: number,
  { columns, wide, namespace }: TableOptions & { readonly namespace: string },
): string {
  const isNarrow = !wide && columns !== undefined && columns < ALL_COLUMNS;
  // The source's own namespace is in the heading.
  const elsewhere = !isNarrow || reloads.some(({ workload }) => workload.namespace !== namespace);
  const rows = reloads.map(({ order: rank, workload, at, rule, configs, how }) => [
    rank === undefined ? '-' : String(rank),
    ...(elsewhere ? [workload.namespace] : []),
    inNamespace(workload),
    whenCell(at, now, wide),
    ...(isNarrow ? [`${ruleText(rule, configs)}; ${how}`] : [ruleText(rule, configs), how]),
  ]);
  return table(
    [
      'ORDER',
      ...(elsewhere ? ['NAMESPACE'] : []),
      'WORKLOAD',
      'WHEN',
      ...(isNarrow ? ['RULE AND HOW'] : ['RULE', 'HOW']),
    ],
    rows,
    style,
    wide ? undefined : columns,
  );
}

function ruleText(rule: Prediction['rule'], configs: Prediction['configs']): string {
  return rule === 'config' ? `config ${configs.map(configName).join(', ')}` : rule;
}

function whenCell(at: string | undefined, now: number, wide: boolean): Cell {
  if (at === undefined) return { text: 'held', tone: 'warn' };
  return wide ? whenText(at, now) : distanceText(at, now);
}

/** One line for each reason, however many workloads wait for it; the table shows until when. */
function waitsOf(reloads: readonly Prediction[], now: number): string[] {
  const waiting = new Map<string, string[]>();
  for (const { workload, waits } of reloads) {
    for (const wait of waits) {
      const text = waitText(wait, now);
      waiting.set(text, [...(waiting.get(text) ?? []), inNamespace(workload)]);
    }
  }
  return [...waiting].map(([text, names]) =>
    indented(`${names.length === reloads.length && names.length > 1 ? 'all' : names.join(', ')} ${text}`),
  );
}

function failureOf({ workload, onFailure }: Prediction): string {
  return onFailure === undefined ? '' : indented(`${inNamespace(workload)}, should it fail: ${onFailure}`);
}
