import {
  type Cached,
  type Client,
  ForbiddenError,
  type InformerEvent,
  identityOf,
  type KubernetesObject,
  type ListOptions,
  type ResourceType,
  type Stored,
} from '@reloader/runtime';
import { createCapturingLogger, VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ListedInformer } from './listed-informer.ts';

interface Item extends KubernetesObject {
  value?: string;
}
type Kept = Cached & { readonly value: string | undefined };

const ITEMS: ResourceType<Item> = {
  group: 'x',
  version: 'v1',
  kind: 'Item',
  plural: 'items',
  namespaced: true,
};

/** A server that stores objects and records each started list. */
class Server {
  readonly objects = new Map<string, Stored<Item>>();
  readonly lists: string[] = [];
  version = 100;
  forbidden = new Set<string>();
  failures = 0;
  pageSize = 1000;
  /** Lists wait for this promise. */
  gate: Promise<void> = Promise.resolve();

  set(namespace: string, name: string, value: string, uid = name): void {
    const resourceVersion = String(++this.version);
    this.objects.set(`${namespace}/${name}`, { metadata: { namespace, name, uid, resourceVersion }, value });
  }

  remove(namespace: string, name: string): void {
    this.version++;
    this.objects.delete(`${namespace}/${name}`);
  }

  readonly client: Pick<Client, 'listEach'> = {
    listEach: async (_, onItem, { namespace, continue: token = '0' }: ListOptions = {}) => {
      if (token === '0') this.lists.push(namespace ?? '*');
      const { version } = this;
      const all = [...this.objects.values()].filter(
        (each) => !namespace || each.metadata.namespace === namespace,
      );
      await this.gate;
      if (this.forbidden.has(namespace ?? '*'))
        throw new ForbiddenError({ code: 403, reason: 'Forbidden', message: 'no' });
      if (this.failures-- > 0) throw new Error('broken');
      const start = Number(token);
      for (const item of all.slice(start, start + this.pageSize)) onItem(structuredClone(item) as never);
      const more = start + this.pageSize < all.length;
      return {
        resourceVersion: String(version),
        ...(more ? { continue: String(start + this.pageSize) } : {}),
      };
    },
  };
}

async function start(server: Server, options: { namespaces?: string[]; wait?: boolean } = {}) {
  const clock = new VirtualClock();
  const capturing = createCapturingLogger();
  const informer = new ListedInformer<Item, Kept>({
    client: server.client,
    type: ITEMS,
    project: (item) => {
      if (item.value === 'odd') throw new Error('odd');
      return { metadata: identityOf(item), value: item.value };
    },
    indexes: { value: ({ value = '' }) => [value] },
    namespaces: options.namespaces ?? [],
    clock,
    logger: capturing.logger,
  });
  const events: string[] = [];
  informer.addHandler((event) => events.push(lineOf(event)));
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  const stop = async (): Promise<void> => {
    ending.abort();
    await running;
  };
  onTestFinished(stop);
  if (options.wait !== false) await informer.whenSynced();
  const refresh = async (namespace: string): Promise<void> => {
    const done = informer.refresh(namespace);
    await clock.advance(200);
    await done;
  };
  return { informer, clock, capturing, stop, refresh, events: () => events.splice(0) };
}

function lineOf(event: InformerEvent<Kept>): string {
  const initial = event.type === 'add' && event.initial ? ' initially' : '';
  return `${event.type} ${event.object.metadata.namespace}/${event.object.metadata.name}${initial}`;
}

describe('An informer that lists', () => {
  it('begins with one list of everything', async () => {
    const server = new Server();
    server.set('a', 'one', '1');
    server.set('b', 'two', '2');
    const { informer, events } = await start(server);
    expect(server.lists).toEqual(['*']);
    expect(events()).toEqual(['add a/one initially', 'add b/two initially']);
    expect(informer.store.size).toBe(2);
    expect([...informer.store.byIndex('value', '2')].map(({ metadata }) => metadata.name)).toEqual(['two']);
  });

  it('reads long lists page by page', async () => {
    const server = new Server();
    server.pageSize = 2;
    for (const name of ['one', 'two', 'three', 'four', 'five']) server.set('a', name, name);
    const { informer } = await start(server);
    expect(informer.store.size).toBe(5);
  });

  it('shows what a new list of a namespace found, and nothing of others', async () => {
    const server = new Server();
    for (const name of ['changed', 'gone', 'same', 'again']) server.set('a', name, '1');
    server.set('b', 'elsewhere', '1');
    const { informer, refresh, events } = await start(server);
    events();
    server.set('a', 'changed', '2');
    server.remove('a', 'gone');
    server.set('a', 'new', '1');
    server.set('a', 'again', '1', 'another-uid');
    server.set('b', 'elsewhere', '2');
    await refresh('a');
    expect(events().sort()).toEqual([
      'add a/again',
      'add a/new',
      'delete a/again',
      'delete a/gone',
      'update a/changed',
    ]);
    expect(informer.store.get({ namespace: 'b', name: 'elsewhere' })?.value).toBe('1');
    expect([...informer.store.byIndex('value', '2')]).toHaveLength(1);
    expect(server.lists).toEqual(['*', 'a']);
  });

  it('has reached what the list of that namespace showed', async () => {
    const server = new Server();
    const { informer, refresh } = await start(server);
    server.set('a', 'one', '1');
    await refresh('a');
    expect(informer.reached({ namespace: 'a', name: 'one' })).toBe('101');
    expect(informer.reached({ namespace: 'b', name: 'two' })).toBe('100');
  });

  it('shares a list between concurrent refreshes', async () => {
    const server = new Server();
    const { informer, clock } = await start(server);
    const all = Promise.all([informer.refresh('a'), informer.refresh('a'), informer.refresh('b')]);
    await clock.advance(200);
    await all;
    expect(server.lists).toEqual(['*', 'a', 'b']);
  });

  it('begins another list for a refresh while one runs', async () => {
    const server = new Server();
    const { informer, clock } = await start(server);
    let open = (): void => {};
    server.gate = new Promise((resolve) => {
      open = resolve;
    });
    const first = informer.refresh('a');
    await clock.advance(200);
    server.set('a', 'late', '1');
    const second = informer.refresh('a');
    await clock.advance(200);
    open();
    await first;
    expect(informer.store.get({ namespace: 'a', name: 'late' })).toBeUndefined();
    await second;
    expect(informer.store.get({ namespace: 'a', name: 'late' })).toBeDefined();
  });

  it('runs only a few lists at once', async () => {
    const server = new Server();
    const { informer, clock } = await start(server);
    let open = (): void => {};
    server.gate = new Promise((resolve) => {
      open = resolve;
    });
    const all = Array.from({ length: 10 }, (_, index) => informer.refresh(`ns-${index}`));
    await clock.advance(200);
    expect(server.lists).toHaveLength(1 + 4);
    open();
    await Promise.all(all);
    expect(server.lists).toHaveLength(1 + 10);
  });

  it('tries again until it works', async () => {
    const server = new Server();
    const { informer, clock } = await start(server);
    server.set('a', 'one', '1');
    server.failures = 3;
    const done = informer.refresh('a');
    await clock.advance(200);
    expect(informer.health().state.phase).toBe('backing-off');
    await clock.advance(60_000);
    await done;
    expect(informer.store.size).toBe(1);
    expect(informer.health().state.phase).toBe('watching');
  });

  it('keeps the old version of an object that it cannot project', async () => {
    const server = new Server();
    server.set('a', 'one', '1');
    const { informer, refresh, events, capturing } = await start(server);
    events();
    server.set('a', 'one', 'odd');
    await refresh('a');
    expect(events()).toEqual([]);
    expect(informer.store.get({ namespace: 'a', name: 'one' })?.value).toBe('1');
    expect(capturing.messages('error')).toHaveLength(1);
  });

  it('is not held up by a namespace that may not be read', async () => {
    const server = new Server();
    server.set('a', 'one', '1');
    server.set('b', 'two', '1');
    server.forbidden.add('b');
    const { informer, clock } = await start(server, { namespaces: ['a', 'b'] });
    expect([informer.syncedIn('a'), informer.syncedIn('b')]).toEqual([true, false]);
    expect(informer.covers({ namespace: 'c', name: 'x' })).toBe(false);
    server.forbidden.clear();
    await clock.advance(5000);
    expect(informer.syncedIn('b')).toBe(true);
  });

  it('ends with its signal, also during a failure, and releases all waiters', async () => {
    const server = new Server();
    server.forbidden.add('*');
    const { informer, clock, stop } = await start(server, { wait: false });
    const waiting = informer.whenSynced();
    const outcome = expect(waiting).rejects.toThrow();
    await clock.settle();
    await stop();
    await outcome;
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends a refresh when it ends', async () => {
    const server = new Server();
    const { informer, clock, stop } = await start(server);
    server.failures = 100;
    const done = informer.refresh('a');
    await clock.advance(200);
    await stop();
    await done;
    expect(clock.pendingTimers).toBe(0);
  });
});
