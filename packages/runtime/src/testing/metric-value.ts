/** Reads one sample from a registry as a scrape would see it. */
import type { Labels, Metrics } from '../metrics/metrics.ts';

/** The value of the series with exactly these labels (in any order), or undefined when there is none. */
export function metricValue(metrics: Metrics, name: string, labels: Labels = {}): number | undefined {
  const wanted = Object.keys(labels).length;
  for (const line of metrics.render().split('\n')) {
    if (!line.startsWith(`${name} `) && !line.startsWith(`${name}{`)) continue;
    const given = [...line.matchAll(/[{,](\w+)="((?:[^"\\]|\\.)*)"/g)];
    if (given.length !== wanted) continue;
    if (given.every(([, label, value]) => label && labels[label] === withoutEscapes(value ?? ''))) {
      const number = line.slice(line.lastIndexOf(' ') + 1);
      return Number(number.replace('Inf', 'Infinity'));
    }
  }
  return undefined;
}

function withoutEscapes(value: string): string {
  return value.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
