import { expect, it } from 'vitest';
import { digestOf, gone, present, wantFor } from '../decide/decide.test.support.ts';
import type { Cause } from '../model/plan.ts';
import type { WantedSource } from '../model/want.ts';
import { causesText } from './causes.ts';

const past = (by: string | undefined) => ({
  digest: digestOf('before'),
  keyDigests: '',
  from: 1,
  until: 2,
  ...(by !== undefined && { by }),
});
const written = (name: string, writtenBy: string, ...before: (string | undefined)[]): WantedSource =>
  present(name, 'x', { facts: { writtenBy, ...(before.length > 0 && { past: before.map(past) }) } });
const text = (...sources: WantedSource[]): string => {
  const causes = sources.map(({ ref, container }): Cause => {
    return { ref, finding: 'changed', slot: undefined, writtenAt: undefined, container };
  });
  return causesText(causes, wantFor(sources.filter(({ ref }) => ref.name !== 'unwanted')));
};

it.each<[string, WantedSource[], string]>([
  ['none', [], 'a reload that another tool undoes'],
  ['one of an unknown writer', [written('a', '')], 'ConfigMap shop/a'],
  ['one with its writer', [written('a', 'helm')], 'ConfigMap shop/a (written by helm)'],
  [
    'one that several write, each once and in order',
    [written('a', 'helm', 'kubectl', 'argocd', 'helm', '', undefined)],
    'ConfigMap shop/a (written by argocd and helm and kubectl)',
  ],
  ['a deleted one', [gone('a')], 'ConfigMap shop/a'],
  ['one that is not wanted any more', [written('unwanted', 'helm')], 'ConfigMap shop/unwanted'],
  [
    'three',
    [written('a', 'helm'), written('b', ''), written('c', '')],
    'ConfigMap shop/a (written by helm), ConfigMap shop/b, ConfigMap shop/c',
  ],
  [
    'more than three',
    ['a', 'b', 'c', 'd', 'e'].map((name) => written(name, '')),
    'ConfigMap shop/a, ConfigMap shop/b, ConfigMap shop/c and 2 more',
  ],
])('names the causes of a reload: %s', (_, sources, expected) => {
  expect(text(...sources)).toBe(expected);
});
