/** Checks lists of source names: commas, expressions, kinds, and whether they match anything. */

import { nearest } from '../reloader/model/nearest.ts';
import type { SourceKind } from '../reloader/model/source.ts';
import { namedList } from '../reloader/want/named-list.ts';
import type { Corpus } from './corpus.ts';
import type { Manifest } from './documents.ts';

interface ListKind {
  readonly kind: SourceKind;
  /** Only names, no expressions. */
  readonly plain?: boolean;
}

const PLAIN = /^[-A-Za-z0-9_.]+$/;
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

export type Say = (rule: string, message: string) => void;

export function checkList(
  value: string,
  { kind, plain = false }: ListKind,
  manifest: Manifest,
  corpus: Corpus,
  say: Say,
): void {
  const items = value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) {
    say('empty', 'is empty and names nothing');
    return;
  }
  const { problems } = namedList(value);
  for (const item of new Set(items)) {
    const problem =
      looksWrong(item, kind, plain) ??
      (plain ? undefined : problems.find((each) => each.item === item)?.message);
    if (problem !== undefined) say('bad-list', `has ${JSON.stringify(item)}: ${problem}`);
    else checkMeaning(item, kind, plain, manifest, corpus, say);
  }
}

/** Undefined: the item may be correct. */
function looksWrong(item: string, kind: SourceKind, plain: boolean): string | undefined {
  if (/\s/.test(item)) return 'names are separated by commas, not by spaces';
  if (item.includes(';')) return 'names are separated by commas';
  if (/^\[.*\]$/.test(item) || /["']/.test(item))
    return 'brackets and quotes are no list: write names, separated by commas';
  if (item.includes('/'))
    return `it is a name without a kind and without a namespace: write ${JSON.stringify(item.split('/').at(-1))}`;
  if (plain)
    return NAME.test(item) ? undefined : `only names can stand here, and no ${kind} can be called that`;
  if (item === '*' || /(^|[-a-z0-9])\*/.test(item))
    return 'this is an expression, not a pattern of a shell: for "anything" write ".*"';
  if (PLAIN.test(item) && !NAME.test(item))
    return `no ${kind} can be called that: names have small letters, digits, "-" and "."`;
  return undefined;
}

function checkMeaning(
  item: string,
  kind: SourceKind,
  plain: boolean,
  { namespace }: Manifest,
  corpus: Corpus,
  say: Say,
): void {
  const names = corpus.sourcesIn(namespace, kind).map(({ manifest }) => manifest.name);
  const matches = plain ? (name: string) => name === item : namedList(item).matches;
  if (names.some(matches)) return;
  const other = kind === 'Secret' ? 'ConfigMap' : 'Secret';
  const others = corpus.sourcesIn(namespace, other).map(({ manifest }) => manifest.name);
  const found = others.find(matches);
  if (found !== undefined) {
    say('wrong-list', `has ${JSON.stringify(item)}, and ${found} is a ${other}: this list is for ${kind}s`);
    return;
  }
  if (names.length === 0) return;
  if (!PLAIN.test(item)) {
    say(
      'matches-nothing',
      `has ${JSON.stringify(item)}, which matches no ${kind} of these files: the whole name must match`,
    );
    return;
  }
  const close = nearest(item, names);
  if (close)
    say(
      'unknown-name',
      `has ${JSON.stringify(item)}, and there is no such ${kind} in these files: did you mean ${close}?`,
    );
}
