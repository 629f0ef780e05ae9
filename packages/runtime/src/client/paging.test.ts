import { describe, expect, it } from 'vitest';
import { createClient } from './create-client.ts';
import { GoneError } from './errors.ts';
import { Pod } from './kinds.ts';
import { type Handler, memoryTransport } from './memory-transport.test.support.ts';
import { listAll, listPages } from './paging.ts';

/** Three pages of two. */
const pages: Handler = (request) => {
  const query = new URLSearchParams(request.path.split('?')[1]);
  const page = Number(query.get('continue') ?? 0);
  const items = [0, 1].map((index) => ({ metadata: { name: `p${page * 2 + index}` } }));
  return {
    body: { metadata: { resourceVersion: '9', ...(page < 2 && { continue: String(page + 1) }) }, items },
  };
};

describe('listing in pages', () => {
  it('gives every object once and the version of the list', async () => {
    const client = createClient({ transport: memoryTransport(pages) });
    const { items, metadata } = await listAll(client, Pod);
    expect(items.map((item) => item.metadata.name)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5']);
    expect(metadata).toEqual({ resourceVersion: '9' });
  });

  it('fetches a page only on demand', async () => {
    const transport = memoryTransport(pages);
    for await (const _ of listPages(createClient({ transport }), Pod, { limit: 2 })) break;
    expect(transport.requests).toHaveLength(1);
  });

  it('names the version only on the first page, the selection on all', async () => {
    const transport = memoryTransport(pages);
    const options = {
      namespace: 'a',
      labelSelector: 'x',
      resourceVersion: '5',
      resourceVersionMatch: 'Exact',
    } as const;
    await listAll(createClient({ transport }), Pod, options);
    expect(transport.requests.map((request) => request.path.split('?')[1])).toEqual([
      'labelSelector=x&resourceVersion=5&resourceVersionMatch=Exact&limit=500',
      'labelSelector=x&limit=500&continue=1',
      'labelSelector=x&limit=500&continue=2',
    ]);
  });

  it('throws for an expired token, with the newer one that the server offers', async () => {
    const gone = {
      status: 410,
      body: { kind: 'Status', code: 410, reason: 'Expired', message: 'old', metadata: { continue: 'newer' } },
    };
    const client = createClient({
      transport: memoryTransport([{ body: { metadata: { continue: 'x' }, items: [] } }, gone]),
    });
    const error = await listAll(client, Pod).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GoneError);
    expect((error as GoneError).status.metadata?.continue).toBe('newer');
  });
});
