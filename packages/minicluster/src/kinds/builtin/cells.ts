/** Cells that several kinds show in `kubectl get`. */
import type { KubeObject } from '../../model/object.ts';
import { dig, integer, records, strings, text } from '../fields.ts';
import type { Column } from '../kind.ts';
import { wide } from '../table.ts';
import { selectorText } from '../validate/selector.ts';

export const number =
  (...path: readonly string[]) =>
  (object: KubeObject): number =>
    integer(dig(object, ...path));

export const textOr =
  (fallback: string, ...path: readonly string[]) =>
  (object: KubeObject): string =>
    text(dig(object, ...path)) || fallback;

export const labelsText = (labels: unknown): string => {
  const entries = Object.entries(strings(labels)).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => `${key}=${value}`).join(',') || '<none>';
};

const joined = (containers: unknown, field: string): string =>
  records(containers)
    .map((container) => text(container[field]))
    .join(',');

/** Containers and images of the pod template at `path`. */
export const containerColumns = (...path: readonly string[]): Column[] => [
  wide('Containers', (object) => joined(dig(object, ...path, 'spec', 'containers'), 'name')),
  wide('Images', (object) => joined(dig(object, ...path, 'spec', 'containers'), 'image')),
];

/** A label selector; `<none>` if it selects everything or nothing. */
export const selectorColumn = (...path: readonly string[]): Column =>
  wide('Selector', (object) => selectorText(dig(object, ...path)) || '<none>');

/** The first three, and the number of others. */
export function firstThree(items: readonly string[], empty: string): string {
  if (items.length === 0) return empty;
  const shown = items.slice(0, 3).join(',');
  return items.length > 3 ? `${shown} + ${items.length - 3} more...` : shown;
}
