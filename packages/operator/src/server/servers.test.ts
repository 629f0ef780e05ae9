import { createRegistry, Health, silentLogger, systemClock } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import { parseSettings } from '../settings/parse.ts';
import { nobody, run } from './harness.test.support.ts';
import { createServers } from './servers.ts';
import { get, serve } from './serving.test.support.ts';

describe('the main address', () => {
  test('serves metrics, /live, /healthz and /readyz', async () => {
    const { urls } = await serve();
    const [url = ''] = urls;
    expect(await get(`${url}/metrics`)).toMatchObject({
      status: 200,
      type: expect.stringContaining('text/plain'),
    });
    expect((await get(`${url}/metrics`)).body).toContain('things_total 1');
    expect(await get(`${url}/live`)).toMatchObject({ status: 200, body: 'alive' });
    expect(await get(`${url}/healthz`)).toMatchObject({ status: 200, body: 'ok\n' });
    expect(await get(`${url}/readyz`)).toMatchObject({ status: 200, body: 'ok\n' });
    expect((await get(`${url}/live`, { method: 'POST' })).status).toBe(405);
  });

  test('has no profiles, whatever the flags say', async () => {
    const { urls } = await serve({ argv: ['--enable-pprof', '--pprof-addr=127.0.0.1:0'] });
    expect((await get(`${urls[0]}/debug/pprof/`)).status).toBe(404);
    expect((await get(`${urls[0]}/debug/pprof/heap?seconds=1`)).status).toBe(404);
  });

  test('/readyz fails while a check fails, /live does not', async () => {
    const { urls, health } = await serve();
    health.addReadiness('caches', () => {
      throw new Error('not in sync');
    });
    expect((await get(`${urls[0]}/readyz`)).status).toBe(500);
    expect((await get(`${urls[0]}/live`)).status).toBe(200);
  });

  test('/live fails once leadership is lost', async () => {
    let lost = false;
    const check = (): void => {
      if (lost) throw new Error('lost');
    };
    const elector = {
      name: 'x',
      isLeader: true,
      run: async () => {},
      release: async () => {},
      check: () => {},
    };
    const { urls } = await serve({ leadership: { elector, check } });
    expect((await get(`${urls[0]}/live`)).status).toBe(200);
    lost = true;
    expect(await get(`${urls[0]}/live`)).toMatchObject({ status: 500, body: 'not alive' });
  });

  test('takes further routes', async () => {
    const settings = parseSettings(['--http-bind-address=127.0.0.1:0'], {});
    const { main } = await createServers({
      settings,
      health: new Health(),
      metrics: createRegistry(),
      client: nobody,
      clock: systemClock,
      logger: silentLogger,
    });
    main.route('/more', (_request, response) => void response.end('more'));
    await run(main);
    expect((await get(`http://127.0.0.1:${main.port}/more`)).body).toBe('more');
  });
});

describe('further addresses', () => {
  test('are opened only when asked for', async () => {
    expect((await serve()).runnables).toHaveLength(1);
  });

  test('probes alone', async () => {
    const { urls } = await serve({ argv: ['--health-probe-bind-address=127.0.0.1:0'] });
    expect((await get(`${urls[1]}/readyz`)).status).toBe(200);
    expect((await get(`${urls[1]}/metrics`)).status).toBe(404);
  });

  test('plain metrics alone', async () => {
    const { urls } = await serve({ argv: ['--metrics-bind-address=127.0.0.1:0', '--metrics-secure=false'] });
    expect((await get(`${urls[1]}/metrics`)).body).toContain('things_total 1');
    expect((await get(`${urls[1]}/readyz`)).status).toBe(404);
  });
});
