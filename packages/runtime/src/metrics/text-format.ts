/** The Prometheus text exposition format, version 0.0.4: how names, labels and numbers are written. */
import type { Labels } from './metrics.ts';

/** The content type of metrics in the text format. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  return String(value);
}

export function formatHeader(name: string, help: string, type: string): string {
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
}

/** `a="1",b="2"`, without braces, so that a histogram can append its `le`. */
export function formatLabels(names: readonly string[], values: readonly string[]): string {
  return names.map((name, index) => `${name}="${escapeLabelValue(values[index] ?? '')}"`).join(',');
}

export function formatSample(name: string, labels: string, value: number): string {
  return labels ? `${name}{${labels}} ${formatNumber(value)}\n` : `${name} ${formatNumber(value)}\n`;
}

function escapeHelp(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
}

function escapeLabelValue(text: string): string {
  return escapeHelp(text).replace(/"/g, '\\"');
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

export function checkNames(name: string, labelNames: readonly string[]): void {
  if (!METRIC_NAME.test(name)) {
    throw new TypeError(`Metric name "${name}" is not valid: use letters, digits, "_" and ":"`);
  }
  for (const label of labelNames) {
    if (!LABEL_NAME.test(label) || label.startsWith('__')) {
      throw new TypeError(
        `Label "${label}" of metric "${name}" is not valid: use letters, digits and "_", not "__" in front`,
      );
    }
  }
  if (new Set(labelNames).size !== labelNames.length) {
    throw new TypeError(`Metric "${name}" names a label twice: ${labelNames.join(', ')}`);
  }
}

export function describeLabels(labels: Labels): string {
  return `{${Object.keys(labels).sort().join(', ')}}`;
}
