import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { encodeContinue } from '../api/continue-token.ts';
import type { ApiRequest, ApiResponse, LiveBody } from '../request/request.ts';
import { createFaults, type FaultRates, ROUGH, TRICKY } from './index.ts';
import { FaultPlan } from './plan.ts';

const LISTS = '/api/v1/configmaps?limit=500';
const request = (path: string, method = 'GET'): ApiRequest => ({ method, path, headers: {} });
const answer = (body: ApiResponse['body'] = new Uint8Array()): ApiResponse => ({
  status: 200,
  headers: {},
  body,
});

function faulty(rates: Partial<FaultRates>, body?: ApiResponse['body']) {
  const clock = new VirtualClock();
  const faults = createFaults({ clock, seed: 1, rates });
  const asked: string[] = [];
  const handler = faults.middleware(async ({ path }) => {
    asked.push(path);
    return answer(body);
  });
  return { clock, faults, asked, send: (path: string, method?: string) => handler(request(path, method)) };
}

describe('the tricks of an API server', () => {
  test('a further page of a list has expired, and says where to go on; the first page never has', async () => {
    const { send, asked, faults } = faulty({ expirePage: 1 });
    const token = encodeContinue({ revision: 7, start: 'shop/a' });
    const { status, body } = await send(`${LISTS}&continue=${token}`);
    expect(status).toBe(410);
    const told = JSON.parse(new TextDecoder().decode(body as Uint8Array)) as {
      metadata: { continue?: string };
    };
    expect(told).toMatchObject({ reason: 'Expired', code: 410 });
    expect(told.metadata.continue).toBe(encodeContinue({ revision: -1, start: 'shop/a' }));
    expect((await send(LISTS)).status).toBe(200);
    expect(asked).toEqual([LISTS]);
    expect(faults.injected.map(({ fault }) => fault.kind)).toEqual(['expire-page']);
  });

  test('pages are shorter than asked for, and nothing else of the request changes', async () => {
    const { send, asked } = faulty({ shortPages: 1 });
    await send(`${LISTS}&labelSelector=a`);
    expect(asked[0]).toMatch(/^\/api\/v1\/configmaps\?limit=[123]&labelSelector=a$/);
    await send('/api/v1/configmaps');
    expect(asked[1]).toBe('/api/v1/configmaps');
  });

  test('while the database is slow every request but a watch takes longer, and then none does', async () => {
    const { send, clock, faults } = faulty({ slowStore: 1 });
    const sent = send('/api/v1/configmaps', 'POST');
    let isDone = false;
    void sent.then(() => {
      isDone = true;
    });
    await clock.settle();
    expect(isDone).toBe(false);
    await clock.advance(8_000);
    await sent;
    expect(faults.injected[0]?.fault).toMatchObject({ kind: 'slow-store' });
    await send('/api/v1/configmaps?watch=true');
    expect(faults.injected).toHaveLength(1);
    const plan = new FaultPlan(3, { slowStore: 0.05 });
    const delays = Array.from({ length: 200 }, (_, index) => plan.forStore(index * 1_000) !== undefined);
    expect(new Set(delays)).toEqual(new Set([true, false]));
  });

  test('an event comes twice, in a row and whole', async () => {
    const lines = ['one\n', 'two\n'];
    const body: LiveBody = {
      open(sink) {
        for (const line of lines) sink.write(new TextEncoder().encode(line));
        sink.end();
        return () => undefined;
      },
    };
    const { send, faults } = faulty({ repeatEvent: 1 }, body);
    const streamed = (await send('/api/v1/configmaps?watch=true')).body as LiveBody;
    let text = '';
    streamed.open({
      write: (chunk) => {
        text += new TextDecoder().decode(chunk);
      },
      end: () => undefined,
      fail: () => undefined,
    });
    expect(text).toBe('one\none\ntwo\ntwo\n');
    expect(faults.injected.map(({ fault }) => fault.kind)).toEqual(['repeat', 'repeat']);
  });

  test('change nothing about the other faults of a seed', () => {
    const drawn = (rates: Partial<FaultRates>) => {
      const plan = new FaultPlan(5, rates);
      return Array.from({ length: 50 }, () => {
        plan.forPage();
        plan.forStore(0);
        plan.pageLength();
        plan.forEvents()?.();
        return [plan.forRequest(), plan.forWatch()];
      });
    };
    expect(drawn({ ...ROUGH, ...TRICKY })).toEqual(drawn(ROUGH));
  });
});
