import { describe, expect, test } from 'vitest';
import type { InformerEvent } from '../cache/informer.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { type CachedWidget, widget } from './harness.test.support.ts';
import {
  and,
  annotationsChanged,
  changed,
  generationChanged,
  inNamespaces,
  labelsChanged,
  matchesLabels,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
  unseen,
} from './predicates.ts';

type Event = InformerEvent<CachedWidget>;
type Meta = Partial<CachedWidget['metadata']> & { readonly color?: string };

const added = (meta: Meta = {}): Event => ({
  type: 'add',
  object: widget('ns/a', '1', meta),
  initial: false,
});
const deleted = (meta: Meta = {}): Event => ({
  type: 'delete',
  object: widget('ns/a', '1', meta),
  stale: false,
});
const updated = (before: Meta, after: Meta): Event => ({
  type: 'update',
  old: widget('ns/a', '1', before),
  object: widget('ns/a', '2', after),
  resync: false,
});
const object = widget('ns/a', '1', { generation: 1, labels: { a: '1' } });
const resync: Event = { type: 'update', old: object, object, resync: true };

const yes: Predicate<CachedWidget> = () => true;
const no: Predicate<CachedWidget> = () => false;

describe('predicates that compare old and new', () => {
  test.each<[string, Predicate<CachedWidget>, Event, boolean]>([
    ['generation moved', generationChanged(), updated({ generation: 1 }, { generation: 2 }), true],
    [
      'generation stayed',
      generationChanged(),
      updated({ generation: 1 }, { generation: 1, color: 'x' }),
      false,
    ],
    ['labels differ', labelsChanged(), updated({ labels: { a: '1' } }, { labels: { a: '2' } }), true],
    [
      'labels in another order',
      labelsChanged(),
      updated({ labels: { a: '1', b: '2' } }, { labels: { b: '2', a: '1' } }),
      false,
    ],
    ['labels absent and empty', labelsChanged(), updated({}, { labels: {} }), false],
    ['labels taken away', labelsChanged(), updated({ labels: { a: '1' } }, {}), true],
    ['annotations differ', annotationsChanged(), updated({}, { annotations: { a: '1' } }), true],
    [
      'annotations the same',
      annotationsChanged(),
      updated({ annotations: { a: '1' } }, { annotations: { a: '1' } }),
      false,
    ],
    ['resourceVersion moved', resourceVersionChanged(), updated({}, {}), true],
    ['resync', resourceVersionChanged(), resync, false],
    ['resync', generationChanged(), resync, false],
    ['a part of our own', changed(({ color }) => color), updated({ color: 'red' }, { color: 'blue' }), true],
    [
      'a part of our own, the same',
      changed(({ color }) => color),
      updated({ color: 'red' }, { color: 'red' }),
      false,
    ],
    ['every add', generationChanged(), added(), true],
    ['every delete', labelsChanged(), deleted(), true],
  ])('%s', (_what, predicate, event, expected) => {
    expect(predicate(event)).toBe(expected);
  });
});

describe('predicates on what an object is', () => {
  test.each<[string, Predicate<CachedWidget>, Event, boolean]>([
    ['namespace wanted', inNamespaces('other', 'ns'), added(), true],
    ['namespace not wanted', inNamespaces('other'), added(), false],
    ['labels match', matchesLabels('app=web'), added({ labels: { app: 'web' } }), true],
    ['labels do not match', matchesLabels('app=web'), added({ labels: { app: 'db' } }), false],
    [
      'labels match as an object',
      matchesLabels({ matchLabels: { app: 'web' } }),
      added({ labels: { app: 'web' } }),
      true,
    ],
    ['labels matched before', matchesLabels('app'), updated({ labels: { app: 'x' } }, {}), true],
    ['labels match now', matchesLabels('app'), updated({}, { labels: { app: 'x' } }), true],
    ['labels never matched', matchesLabels('app'), updated({}, {}), false],
    ['deleted and matched', matchesLabels('app'), deleted({ labels: { app: 'x' } }), true],
  ])('%s', (_what, predicate, event, expected) => {
    expect(predicate(event)).toBe(expected);
  });

  test('an unreadable selector is refused when it is given, not when an event comes', () => {
    expect(() => matchesLabels('app in web')).toThrow(/app in web/);
  });
});

describe('combinations', () => {
  test.each([
    ['and() of both', and(yes, yes), true],
    ['and() of one', and(yes, no), false],
    ['and() of none', and(), true],
    ['or() of one', or(no, yes), true],
    ['or() of neither', or(no, no), false],
    ['or() of none', or(), false],
    ['not(yes)', not(yes), false],
    ['not(no)', not(no), true],
  ])('%s', (_what, predicate, expected) => {
    expect(predicate(added())).toBe(expected);
  });
});

describe('unseen values', () => {
  const replay = (color: string, uid = 'u'): Event => ({
    type: 'add',
    object: widget('ns/a', '1', { color, uid }),
    initial: true,
  });

  test('pass once until they change, without an old object', () => {
    const predicate = unseen<CachedWidget>(({ color }) => color);
    const colors = ['red', 'red', 'blue', 'red', 'red'];
    expect(colors.map((color) => predicate(replay(color)))).toEqual([true, false, true, true, false]);
  });

  test('are remembered per object: a re-created one is new', () => {
    const predicate = unseen<CachedWidget>(({ color }) => color);
    expect(predicate(replay('red', 'u-1'))).toBe(true);
    expect(predicate(replay('red', 'u-2'))).toBe(true);
    expect(predicate({ type: 'add', object: widget('ns/b', '1', { color: 'red' }), initial: true })).toBe(
      true,
    );
  });

  test('are forgotten with the object, whose deletion passes', () => {
    const predicate = unseen<CachedWidget>(({ color }) => color);
    predicate(replay('red'));
    expect(predicate({ type: 'delete', object: widget('ns/a', '1', { uid: 'u' }), stale: false })).toBe(true);
    expect(predicate(replay('red'))).toBe(true);
  });

  test('are forgotten when they were not seen for a while', async () => {
    const clock = new VirtualClock();
    const predicate = unseen<CachedWidget>(({ color }) => color, { clock, rememberMs: 1000 });
    predicate(replay('red'));
    await clock.advance(900);
    expect(predicate(replay('red'))).toBe(false);
    await clock.advance(900);
    expect(predicate(replay('red'))).toBe(false);
    await clock.advance(1000);
    expect(predicate(replay('red'))).toBe(true);
  });
});
