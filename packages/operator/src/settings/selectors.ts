/** Label selectors of flags, with the two older notations that Stakater Reloader still accepts. */
import { parseSelector, type Selector, SelectorError } from '@reloader/runtime';
import { badFlag } from './arguments.ts';
import type { FlagName } from './flags.ts';

/** Undefined if there is no selector. */
export function selectorOf(name: FlagName, items: readonly string[]): Selector | undefined {
  if (items.length === 0) return undefined;
  const written = items.map(modern).join(',');
  try {
    return parseSelector(written);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw badFlag(name, items.join(','), error.message);
  }
}

/** `key:value` is `key=value`; `key:*` and `key=*` only require the key. */
function modern(item: string): string {
  const pair = /^(?<key>[^:=!\s()]+)(?<sign>[:=])(?<value>[^:=!()]*)$/.exec(item)?.groups;
  if (!pair) return item;
  if (pair.value === '*') return pair.key ?? '';
  return pair.sign === ':' ? `${pair.key}=${pair.value}` : item;
}
