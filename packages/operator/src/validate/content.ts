/** What is looked at: the bytes of the keys that rules are about, and the names of all keys. */
import type { ContentRule } from '../reloader/model/content-rule.ts';

export interface Content {
  /** All that there are. */
  readonly keys: readonly string[];
  /** Of the keys that rules are about. */
  readonly values: ReadonlyMap<string, Uint8Array>;
}

type Data = Readonly<Record<string, string>> | undefined;

/** `texts` as they are, `encoded` in base64: of one key, the first that has it counts. */
export function contentOf(rules: readonly ContentRule[], texts: Data, encoded: Data): Content {
  const asked = new Set(rules.flatMap(({ key }) => key ?? []));
  const values = new Map<string, Uint8Array>();
  const add = (data: Data, encoding: 'utf8' | 'base64'): string[] => {
    const keys = Object.keys(data ?? {});
    for (const key of keys) {
      if (asked.has(key) && !values.has(key)) values.set(key, Buffer.from(data?.[key] ?? '', encoding));
    }
    return keys;
  };
  return { keys: [...add(texts, 'utf8'), ...add(encoded, 'base64')], values };
}
