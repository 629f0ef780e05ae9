/** The checked part of a source: the bytes of the keys that rules name, and the names of all keys. */
import type { ContentRule } from '../reloader/model/content-rule.ts';

export interface Content {
  /** The names of all keys. */
  readonly keys: readonly string[];
  /** Only of the keys that rules name. */
  readonly values: ReadonlyMap<string, Uint8Array>;
}

type Data = Readonly<Record<string, string>> | undefined;

/** `texts` are plain, `encoded` is base64: if both have a key, `texts` counts. */
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
