/** Label selectors in their object form, as workloads and budgets carry them. An absent selector matches nothing. */
import type { LabelSelector } from './types.ts';

export function selects(
  selector: LabelSelector | undefined,
  labels: Record<string, string> | undefined,
): boolean {
  if (!selector) return false;
  const has = labels ?? {};
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (!Object.hasOwn(has, key) || has[key] !== value) return false;
  }
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const present = Object.hasOwn(has, key);
    switch (operator) {
      case 'In':
        return present && values.includes(has[key] ?? '');
      case 'NotIn':
        return !present || !values.includes(has[key] ?? '');
      case 'Exists':
        return present;
      case 'DoesNotExist':
        return !present;
      default:
        return false;
    }
  });
}
