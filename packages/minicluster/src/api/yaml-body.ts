/** YAML as the server reads it: version 1.1, in which `yes` and `on` are booleans, with duplicate keys reported. */
import { type CollectionTag, parseDocument, type ScalarTag } from 'yaml';

/** The text is no YAML. */
export class YamlProblem extends Error {
  override name = 'YamlProblem';
}

export interface YamlValue {
  readonly value: unknown;
  /** `line 3: key "a" already set in map` */
  readonly repeatedKeys: string[];
}

/** The library's errors in the server's words. Others keep the library's text. */
const WORDS: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BAD_DIRECTIVE: 'found unknown directive name',
  MISSING_CHAR: 'could not find expected token',
  TAB_AS_INDENT: 'found character that cannot start any token',
  BAD_ALIAS: 'unknown anchor',
};

export function readYaml(text: string): YamlValue {
  const document = parseDocument(text, {
    version: '1.1',
    merge: true,
    prettyErrors: true,
    logLevel: 'silent',
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !isTime(tag)),
  });
  const repeatedKeys: string[] = [];
  for (const error of document.errors) {
    const line = error.linePos?.[0].line ?? 1;
    if (error.code === 'DUPLICATE_KEY') {
      repeatedKeys.push(`line ${line}: key ${keyAt(text, error.pos[0])} already set in map`);
    } else {
      const words = WORDS[error.code] ?? error.message.split('\n')[0];
      throw new YamlProblem(line > 1 ? `yaml: line ${line}: ${words}` : `yaml: ${words}`);
    }
  }
  try {
    return { value: plain(document.toJS({ maxAliasCount: 100 })), repeatedKeys };
  } catch (error) {
    throw new YamlProblem(`yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Dates and `1:30` stay strings here. */
const isTime = ({ tag, format }: ScalarTag | CollectionTag | { tag: string; format?: string }): boolean =>
  format === 'TIME' || tag === 'tag:yaml.org,2002:timestamp';

function keyAt(text: string, position: number): string {
  const key = /^("[^"]*"|'[^']*'|[^:\s,{}[\]]+)/.exec(text.slice(position))?.[0] ?? '';
  return JSON.stringify(key.replace(/^["']|["']$/g, ''));
}

/** YAML has types that JSON lacks: sets and maps with other keys are converted. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (value instanceof Set) return plain(Object.fromEntries([...value].map((key) => [key, null])));
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
