import { describe, expect, test } from 'vitest';
import type { ObjectKey, OwnerReference } from '../model/types.ts';
import { keyString } from '../model/types.ts';
import { FakeInformer } from '../testing/fake-informer.ts';
import { type CachedWidget, ConfigMap, startController, Widget, widget } from './harness.test.support.ts';
import { not } from './predicates.ts';
import {
  channel,
  type EnqueueOptions,
  forKind,
  LOW_PRIORITY,
  owns,
  type RequestCause,
  type Source,
  watches,
} from './sources.ts';

/** Attaches a source and collects its requests. */
function collect(source: Source) {
  const requests: string[] = [];
  const options: EnqueueOptions[] = [];
  const errors: [unknown, RequestCause][] = [];
  const registration = source.attach({
    enqueue: (request: ObjectKey, given) => {
      requests.push(keyString(request));
      options.push(given);
    },
    report: (error, cause) => void errors.push([error, cause]),
  });
  return { requests, options, errors, registration, take: () => requests.splice(0) };
}

const informer = () => new FakeInformer<CachedWidget>(Widget);

function ownerOf(name: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    name,
    uid: `uid-${name}`,
    controller: true,
    ...more,
  };
}

describe('forKind', () => {
  test('asks for the object of every event', () => {
    const widgets = informer();
    const { take } = collect(forKind(widgets));
    widgets.sync();
    widgets.set(widget('ns/a'));
    widgets.set(widget('ns/a', '2'));
    widgets.remove({ namespace: 'ns', name: 'a' });
    expect(new Set(take())).toEqual(new Set(['ns/a']));
  });

  test('asks for cluster-scoped objects without a namespace', () => {
    const widgets = informer();
    const { take } = collect(forKind(widgets));
    widgets.set({ metadata: { name: 'alone', uid: 'u', resourceVersion: '1' } });
    expect(take()).toEqual(['alone']);
  });

  test('is in sync when its informer has handed over the initial objects, and can be taken away', () => {
    const widgets = informer();
    const { registration, take } = collect(forKind(widgets));
    expect(registration.synced).toBe(false);
    widgets.sync();
    expect(registration.synced).toBe(true);
    registration.remove();
    widgets.set(widget('ns/a'));
    expect(take()).toEqual([]);
  });
});

describe('priorities', () => {
  const priorities = (source: Source) => {
    const { options } = collect(source);
    return () => options.splice(0).map(({ priority, replay }) => ({ priority, replay }))[0];
  };

  test('initial objects and replays are low, everything else is not', () => {
    const widgets = informer();
    const next = priorities(forKind(widgets));
    widgets.set(widget('ns/a', '1'));
    expect(next()).toEqual({ priority: LOW_PRIORITY, replay: true });
    widgets.sync();
    widgets.set(widget('ns/b', '1'));
    expect(next()).toEqual({ priority: 0, replay: false });
    widgets.set(widget('ns/b', '2'));
    expect(next()).toEqual({ priority: 0, replay: false });
    widgets.set(widget('ns/b', '2'));
    expect(next()).toEqual({ priority: LOW_PRIORITY, replay: true });
    widgets.remove({ namespace: 'ns', name: 'b' });
    expect(next()).toEqual({ priority: 0, replay: false });
    widgets.resync();
    expect(next()).toEqual({ priority: LOW_PRIORITY, replay: true });
  });

  test('can be given by event', () => {
    const widgets = informer();
    const next = priorities(forKind(widgets, { priority: ({ type }) => (type === 'delete' ? 10 : -5) }));
    widgets.set(widget('ns/a'));
    expect(next()?.priority).toBe(-5);
    widgets.remove({ namespace: 'ns', name: 'a' });
    expect(next()?.priority).toBe(10);
  });
});

describe('predicates', () => {
  test('keep events away, for instance those of our own writes', () => {
    const widgets = informer();
    const isOwnWrite = (event: { readonly object: CachedWidget }): boolean =>
      event.object.metadata.resourceVersion === '7';
    const { take } = collect(forKind(widgets, { when: not(isOwnWrite) }));
    widgets.set(widget('ns/a', '7'));
    widgets.set(widget('ns/b', '8'));
    expect(take()).toEqual(['ns/b']);
  });
});

describe('owns', () => {
  test.each<[string, readonly OwnerReference[] | undefined, string[]]>([
    ['the controller', [ownerOf('a')], ['ns/a']],
    ['no owner at all', undefined, []],
    ['an owner that does not control it', [ownerOf('a', { controller: false })], []],
    ['another version of the same kind', [ownerOf('a', { apiVersion: 'example.com/v2' })], ['ns/a']],
    ['another group', [ownerOf('a', { apiVersion: 'other.com/v1' })], []],
    ['another kind', [ownerOf('a', { kind: 'Gadget' })], []],
  ])('%s', (_what, ownerReferences, expected) => {
    const children = informer();
    const { take } = collect(owns(children, Widget));
    children.set(widget('ns/child', '1', ownerReferences ? { ownerReferences } : {}));
    expect(take()).toEqual(expected);
  });

  test('asks for every owner of the kind when told to', () => {
    const children = informer();
    const { take } = collect(owns(children, Widget, { matchEveryOwner: true }));
    const ownerReferences = [
      ownerOf('a', { controller: false }),
      ownerOf('b'),
      ownerOf('c', { kind: 'Gadget' }),
    ];
    children.set(widget('ns/child', '1', { ownerReferences }));
    expect(take()).toEqual(['ns/a', 'ns/b']);
  });

  test('an owner that is cluster-scoped is asked for without a namespace', () => {
    const children = informer();
    const { take } = collect(owns(children, { ...Widget, namespaced: false }));
    children.set(widget('ns/child', '1', { ownerReferences: [ownerOf('a')] }));
    expect(take()).toEqual(['a']);
  });

  test('owners in the core group are found', () => {
    const children = informer();
    const { take } = collect(owns(children, ConfigMap));
    const reference = ownerOf('a', { apiVersion: 'v1', kind: 'ConfigMap' });
    children.set(widget('ns/child', '1', { ownerReferences: [reference] }));
    expect(take()).toEqual(['ns/a']);
  });

  test('a child that changes its owner enqueues the old and the new one', () => {
    const children = informer();
    const { take } = collect(owns(children, Widget));
    children.set(widget('ns/child', '1', { ownerReferences: [ownerOf('a')] }));
    take();
    children.set(widget('ns/child', '2', { ownerReferences: [ownerOf('b')] }));
    expect(take()).toEqual(['ns/a', 'ns/b']);
  });
});

describe('watches', () => {
  const byColor = ({ color, metadata }: CachedWidget): ObjectKey[] => {
    if (color === 'bad') throw new Error('unreadable');
    return color ? [{ namespace: metadata.namespace ?? '', name: color }] : [];
  };

  test('maps old and new of an update', () => {
    const widgets = informer();
    const { take } = collect(watches(widgets, byColor));
    widgets.set(widget('ns/a', '1', { color: 'red' }));
    take();
    widgets.set(widget('ns/a', '2', { color: 'blue' }));
    expect(take()).toEqual(['ns/red', 'ns/blue']);
  });

  test.each([
    ['old', 'bad', 'blue', ['ns/blue']],
    ['new', 'red', 'bad', ['ns/red']],
  ])(
    'a mapping that fails for the %s object is reported; the other one counts',
    (_which, before, after, expected) => {
      const widgets = informer();
      widgets.set(widget('ns/a', '1', { color: before }));
      const { take, errors } = collect(watches(widgets, byColor));
      take();
      errors.length = 0;
      widgets.set(widget('ns/a', '2', { color: after }));
      expect(take()).toEqual(expected);
      expect(errors).toHaveLength(1);
      expect(errors[0]?.[1]).toEqual({ event: 'update', source: 'Widget', namespace: 'ns', name: 'a' });
    },
  );

  test('a failing mapping is counted and logged by the controller, which goes on', async () => {
    const widgets = informer();
    const seen: string[] = [];
    widgets.sync();
    const { clock, value, log } = await startController({
      sources: [watches(widgets, byColor)],
      reconcile: ({ name }) => void seen.push(name),
    });
    widgets.set(widget('ns/a', '1', { color: 'bad' }));
    widgets.set(widget('ns/b', '1', { color: 'red' }));
    await clock.settle();
    expect(seen).toEqual(['red']);
    expect(value('event_mapping_errors_total')).toBe(1);
    const line = log.entries.find(({ level }) => level === 'error');
    expect(line?.values).toMatchObject({ controller: 'widget', event: 'add of Widget ns/a' });
  });

  test('one event that leads to one key twice causes one run', async () => {
    let runs = 0;
    const widgets = informer();
    widgets.sync();
    const twice = (): ObjectKey[] => [
      { namespace: 'ns', name: 'x' },
      { namespace: 'ns', name: 'x' },
    ];
    const { clock } = await startController({
      sources: [watches(widgets, twice)],
      reconcile: () => void runs++,
    });
    widgets.set(widget('ns/a'));
    await clock.settle();
    expect(runs).toBe(1);
  });
});

describe('channel', () => {
  test('keeps requests until the controller listens, and delivers them once', () => {
    const outside = channel('outside');
    outside.trigger({ namespace: 'ns', name: 'early' });
    const { take, registration } = collect(outside);
    expect(take()).toEqual(['ns/early']);
    expect(registration.synced).toBe(true);
    outside.trigger({ namespace: 'ns', name: 'now' });
    expect(take()).toEqual(['ns/now']);
    registration.remove();
    outside.trigger({ namespace: 'ns', name: 'after' });
    expect(take()).toEqual([]);
    expect(collect(outside).take()).toEqual(['ns/after']);
  });

  test('passes the cause and the priority', () => {
    const outside = channel('outside');
    const { options } = collect(outside);
    outside.trigger({ name: 'a' }, { priority: 5, event: 'webhook' });
    outside.trigger({ name: 'b' });
    expect(options).toEqual([
      { priority: 5, replay: false, cause: { event: 'webhook', source: 'outside' } },
      { priority: 0, replay: false, cause: { event: 'trigger', source: 'outside' } },
    ]);
  });
});
