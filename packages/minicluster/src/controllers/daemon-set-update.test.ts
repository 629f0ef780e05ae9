import { describe, expect, test } from 'vitest';
import { excessPods, type NodePods, planReplacement, planSurge } from './daemon-set-update.ts';
import type { Pod } from './types.ts';

/** `a+` is an available pod, `a-` an unavailable one; pods sort by name instead of age. */
const pod = (name: string): Pod => ({ metadata: { name } }) as Pod;
const nameOf = ({ metadata }: Pod): string => metadata.name;
const serves = (each: Pod): boolean => nameOf(each).endsWith('+');
const byName = (a: Pod, b: Pod): number => nameOf(a).localeCompare(nameOf(b));
const node = (name: string, fresh: string[], old: string[]): NodePods => ({
  node: name,
  fresh: fresh.map(pod),
  old: old.map(pod),
});

describe('an update without surge', () => {
  const removed = (maxUnavailable: number, ...nodes: NodePods[]): string[] =>
    planReplacement(nodes, maxUnavailable, serves).remove.map(nameOf);

  test.each([
    [
      'as many old pods as may be missing',
      2,
      [node('1', [], ['a+']), node('2', [], ['b+']), node('3', [], ['c+'])],
      ['a+', 'b+'],
    ],
    [
      'fewer while a new pod does not serve',
      2,
      [node('1', ['a-'], []), node('2', [], ['b+']), node('3', [], ['c+'])],
      ['b+'],
    ],
    ['fewer while a node has no pod', 1, [node('1', [], []), node('2', [], ['b+'])], []],
    [
      'fewer while a node has an old and a new pod',
      1,
      [node('1', ['a+'], ['b+']), node('2', [], ['c+'])],
      [],
    ],
    ['fewer while a node has too many', 1, [node('1', [], ['a+', 'b+']), node('2', [], ['c+'])], []],
    [
      'every old pod that does not serve',
      1,
      [node('1', [], ['a-']), node('2', [], ['b-']), node('3', [], ['c+'])],
      ['a-', 'b-'],
    ],
    ['nothing when all are new', 3, [node('1', ['a+'], []), node('2', ['b-'], [])], []],
  ])('removes %s', (_, maxUnavailable, nodes, expected) => {
    expect(removed(maxUnavailable, ...nodes)).toEqual(expected);
  });
});

describe('an update with surge', () => {
  const plan = (
    maxSurge: number,
    ...nodes: NodePods[]
  ): { remove: string[]; createOn: readonly string[] } => {
    const { remove, createOn } = planSurge(nodes, maxSurge, serves);
    return { remove: remove.map(nameOf), createOn };
  };

  test.each([
    [
      'new pods beside old ones, up to the surge',
      1,
      [node('1', [], ['a+']), node('2', [], ['b+'])],
      [],
      ['1'],
    ],
    [
      'none more while a new pod does not serve',
      1,
      [node('1', ['a-'], ['b+']), node('2', [], ['c+'])],
      [],
      [],
    ],
    ['none more while a node has too many', 1, [node('1', [], ['a+', 'b+']), node('2', [], ['c+'])], [], []],
    [
      'a new pod beside one that does not serve, at any time',
      1,
      [node('1', ['a-'], ['b+']), node('2', [], ['c-'])],
      [],
      ['2'],
    ],
    [
      'the next when one is done, and removes the old pod',
      1,
      [node('1', ['a+'], ['b+']), node('2', [], ['c+'])],
      ['b+'],
      ['2'],
    ],
    ['nothing on nodes that are done', 2, [node('1', ['a-'], []), node('2', ['b+'], [])], [], []],
  ])('creates %s', (_, maxSurge, nodes, remove, createOn) => {
    expect(plan(maxSurge, ...nodes)).toEqual({ remove, createOn });
  });
});

describe('on one node', () => {
  const excess = (surges: boolean, fresh: string[], old: string[]): string[] =>
    excessPods(node('1', fresh, old), surges, serves, serves, byName).map(nameOf);

  test('only the oldest pod stays without surge, whichever revision it has', () => {
    expect(excess(false, ['b+'], ['a-'])).toEqual(['b+']);
    expect(excess(false, ['a-'], ['b+'])).toEqual(['b+']);
    expect(excess(false, ['a+'], [])).toEqual([]);
  });

  test('with surge an old pod that is ready stays beside a new one until that serves', () => {
    expect(excess(true, ['b-'], ['a+'])).toEqual([]);
    expect(excess(true, ['b+'], ['a+'])).toEqual(['a+']);
  });

  test('with surge an old pod that is not ready goes as soon as there is a new one', () => {
    expect(excess(true, ['b-'], ['a-'])).toEqual(['a-']);
    expect(excess(true, [], ['a-'])).toEqual([]);
  });

  test('with surge there is at most one pod of each', () => {
    expect(excess(true, ['b-', 'c-'], ['a+', 'd+'])).toEqual(['c-', 'd+']);
  });
});
