import { afterEach, describe, expect, it } from 'vitest';
import type { Stored } from '../model/types.ts';
import type { Item } from '../reflector/fake-server.test.support.ts';
import type { InformerEvent } from './informer.ts';
import { A, hold, type Setting, startOverlay as start, stopOverlays } from './overlay.test.support.ts';

afterEach(stopOverlays);

describe('Echoes of own writes', () => {
  async function listen(writer?: string): Promise<Setting & { readonly heard: string[] }> {
    const setting = await start();
    const heard: string[] = [];
    const note = (event: InformerEvent<Stored<Item>>): void => {
      heard.push(`${event.type} ${event.object.data?.value}`);
    };
    setting.informer.addHandler(setting.overlay.withoutOwn(note, writer));
    heard.length = 0;
    return { ...setting, heard };
  }

  it('are not delivered to their writer', async () => {
    const { overlay, write, catchUp, heard, server } = await listen();
    overlay.onWritten(write('ns/a', 'ours'));
    overlay.onWritten(write('ns/b', 'ours too'));
    server.put('ns/a', 'theirs');
    await catchUp();
    expect(heard).toEqual(['update theirs']);
  });

  it('are not delivered through the overlay, whose store shows the writes', async () => {
    const { overlay, write, catchUp, informer } = await start();
    const view = overlay.asInformer('me');
    const heard: string[] = [];
    const registration = view.addHandler((event) => heard.push(`${event.type} ${event.object.data?.value}`));
    expect(registration.synced).toBe(true);
    overlay.onWritten(write('ns/a', 'mine'), 'me');
    overlay.onWritten(write('ns/b', 'of somebody else'), 'somebody else');
    expect(view.store.get(A)?.data?.value).toBe('mine');
    await catchUp();
    expect(heard).toEqual(['add old', 'add of somebody else']);
    await view.whenSynced();
    expect([view.synced, view.type, view.namespace]).toEqual([true, informer.type, undefined]);
    expect(view.health()).toEqual(informer.health());
    await expect(view.run(new AbortController().signal)).rejects.toThrow('already runs');
  });

  it('are delivered to other writers in the same program', async () => {
    const { overlay, write, catchUp, heard } = await listen('second controller');
    overlay.onWritten(write('ns/a', 'of the first'), 'first controller');
    overlay.onWritten(write('ns/b', 'of the second'), 'second controller');
    await catchUp();
    expect(heard).toEqual(['update of the first']);
  });

  it('that arrive before the answer are held back until it arrives', async () => {
    const { overlay, server, clock, heard } = await listen();
    const end = overlay.begin(A);
    server.put('ns/a', 'theirs');
    const ours = server.put('ns/a', 'ours');
    await clock.settle();
    expect(heard).toEqual([]);
    overlay.onWritten(ours);
    end();
    expect(heard).toEqual(['update theirs']);
    expect(overlay.pending).toBe(0);
  });

  it('that were held back are delivered if the write failed', async () => {
    const { overlay, server, clock, heard } = await listen();
    const end = overlay.begin(A);
    server.put('ns/a', 'theirs');
    await clock.settle();
    end();
    end();
    expect(heard).toEqual(['update theirs']);
  });

  it('wait for the last of several concurrent writes', async () => {
    const { overlay, server, clock, heard } = await listen();
    const [endFirst, endSecond] = [overlay.begin(A), overlay.begin(A)];
    const first = server.put('ns/a', 'first');
    const second = server.put('ns/a', 'second');
    await clock.settle();
    overlay.onWritten(second);
    endSecond();
    overlay.onWritten(first);
    endFirst();
    expect(heard).toEqual([]);
  });

  it('are delivered if a relist found them, since they may include other changes', async () => {
    const { overlay, write, server, clock, heard } = await listen();
    server.cut('silent');
    server.put('ns/a', 'theirs');
    overlay.onWritten(write('ns/a', 'ours'));
    server.lag = 0;
    server.compact();
    await clock.advance(70_000);
    expect(heard).toEqual(['update ours']);
  });

  it('of a deletion are delivered', async () => {
    const { overlay, server, catchUp, heard } = await listen();
    hold(server);
    server.remove('ns/a');
    overlay.onDeleted(A);
    await catchUp();
    expect(heard).toEqual(['delete old']);
  });

  it('of a deletion are delivered even if the server does not set its version', async () => {
    const { overlay, write } = await start();
    const object = write('ns/a', 'ours');
    overlay.onWritten(object);
    expect(overlay.isOwnWrite({ type: 'delete', object, stale: false })).toBe(false);
  });

  it('do not include the initial objects of a late handler', async () => {
    const { overlay, write, informer, catchUp, server } = await start();
    const written = write('ns/a', 'ours');
    overlay.onWritten(written);
    await catchUp();
    hold(server);
    const seen: boolean[] = [];
    overlay.onWritten(written);
    informer.addHandler((event) => seen.push(overlay.isOwnWrite(event)));
    expect(seen).toEqual([false]);
  });
});
