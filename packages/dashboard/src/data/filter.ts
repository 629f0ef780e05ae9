/** Which lines a person wants to see. The same rules as those of the API, so that a link means the same there. Pure. */
import type { LineCounts, NumberedLine } from '@reloader/operator/api';

export interface Filter {
  readonly q: string;
  readonly state: string;
  readonly namespace: string;
  readonly kind: string;
}

export function filterOf(query: Readonly<Record<string, string>>): Filter {
  const { q = '', state = '', namespace = '', kind = '' } = query;
  return { q, state, namespace, kind };
}

export interface Filtered {
  readonly lines: readonly NumberedLine[];
  /** Of all that the other filters let pass. */
  readonly counts: LineCounts;
}

export function filtered(lines: readonly NumberedLine[], filter: Filter): Filtered {
  const words = filter.q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const counts = {
    all: 0,
    byState: { failing: 0, waiting: 0, rolling: 0, troubled: 0, current: 0 },
    byWait: {} as Record<string, number>,
    frozen: 0,
  };
  const found: NumberedLine[] = [];
  for (const line of lines) {
    const { workload, state, pending, frozen } = line;
    if (filter.namespace !== '' && workload.namespace !== filter.namespace) continue;
    if (filter.kind !== '' && workload.kind !== filter.kind) continue;
    if (words.length > 0 && !hasAll(line, words)) continue;
    counts.all += 1;
    counts.byState[state] += 1;
    if (pending) counts.byWait[pending.why] = (counts.byWait[pending.why] ?? 0) + 1;
    if (frozen) counts.frozen += 1;
    if (filter.state === '' || isIn(filter.state, line)) found.push(line);
  }
  return { lines: found, counts };
}

function hasAll({ workload, sources }: NumberedLine, words: readonly string[]): boolean {
  const { kind, namespace, name } = workload;
  const names = sources.map((source) => `${source.kind}/${source.name}`).join(' ');
  const text = `${kind} ${namespace}/${name} ${names}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function isIn(state: string, line: NumberedLine): boolean {
  if (state === 'frozen') return line.frozen !== undefined || line.pending?.why === 'frozen';
  return line.state === state || line.pending?.why === state;
}
