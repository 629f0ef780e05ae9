/** The history of one workload as text in a ConfigMap. */
import { timestamp } from '@reloader/runtime';
import { hashed } from '../model/hashed.ts';
import type { ReloadEntry, WorkloadHistory } from './history.ts';

const LONGEST_KEY = 253;

/** Keys of a ConfigMap allow no slash and at most 253 characters. */
export function dataKey(key: string): string {
  const plain = key.replaceAll('/', '.').replaceAll(':', '_');
  if (plain.length <= LONGEST_KEY) return plain;
  const digest = hashed('sha256', key, 'hex').slice(0, 16);
  return `${plain.slice(0, LONGEST_KEY - 17)}.${digest}`;
}

/** `time` is for people, `at` for the operator, older versions included. */
export function formatEntry(key: string, { reloads, ...rest }: WorkloadHistory): string {
  const timed = reloads.map((entry) => ({ ...entry, time: timestamp(entry.at * 1000) }));
  return JSON.stringify({ workload: key, reloads: timed, ...rest });
}

/** The histories in the data of a ConfigMap, by the keys of their workloads. */
export function storedHistory(
  data: Readonly<Record<string, string>>,
): (readonly [key: string, history: WorkloadHistory])[] {
  return Object.values(data).flatMap(parseEntry);
}

/** Skips entries that the operator did not write. */
function parseEntry(text: string): (readonly [string, WorkloadHistory])[] {
  try {
    const { workload, reloads, held } = JSON.parse(text) as Partial<WorkloadHistory> & { workload?: unknown };
    if (typeof workload !== 'string' || workload.split('/').length !== 3 || !Array.isArray(reloads))
      return [];
    const valid = (reloads as (Partial<ReloadEntry> & { time?: unknown })[]).filter(isEntry);
    const entries = valid.map(({ time: _, ...entry }) => entry);
    return [[workload, { reloads: entries, ...(held && { held }) }]];
  } catch {
    return [];
  }
}

function isEntry(entry: Partial<ReloadEntry> | null): entry is ReloadEntry & { time?: unknown } {
  return (
    typeof entry?.seq === 'number' &&
    typeof entry.at === 'number' &&
    typeof entry.result === 'string' &&
    Array.isArray(entry.sources) &&
    Array.isArray(entry.configs)
  );
}
