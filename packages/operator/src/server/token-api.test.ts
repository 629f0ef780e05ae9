import { silentLogger } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import type { OperatorView } from '../api/operator-view.ts';
import { createApi } from '../api/routes.ts';
import { serveApi } from './token-api.test.support.ts';

describe('the API for tokens', () => {
  test('asks the API server for the caller and its rights in each namespace', async () => {
    const { ask, addApi, admin } = await serveApi();
    expect((await ask('/api/v1/history', admin)).status).toBe(503);
    const operatorView = { history: (namespace?: string) => [namespace ?? 'all'] } as unknown as OperatorView;
    addApi(createApi({ operatorView, logger: silentLogger }));
    expect(await ask('/api/v1/history', admin)).toMatchObject({ status: 200, body: '{"reloads":["all"]}\n' });
    expect(await ask('/api/v1/history?namespace=shop', 'shopkeeper')).toMatchObject({
      status: 200,
      body: '{"reloads":["shop"]}\n',
    });
    expect((await ask('/api/v1/history', 'shopkeeper')).status).toBe(403);
    expect((await ask('/api/v1/history?namespace=default', 'shopkeeper')).status).toBe(403);
    expect((await ask('/api/v1/history?namespace=shop', 'stranger')).status).toBe(403);
    expect((await ask('/api/v1/history?namespace=shop', 'nonsense')).status).toBe(401);
    expect((await ask('/api/v1/history?namespace=shop')).status).toBe(401);
    expect((await ask('/metrics', admin)).status).toBe(404);
  });

  test('serves the stream, which is no answer of one piece', async () => {
    const { ask, addApi, admin } = await serveApi();
    const open: OperatorView['streams']['open'] = ({ sink, from }) => {
      sink.write(`: from ${from}\n\n`);
      const timer = setTimeout(() => sink.end(), 50);
      return () => clearTimeout(timer);
    };
    const operatorView = { streams: { isFull: false, open } } as unknown as OperatorView;
    addApi(createApi({ operatorView, logger: silentLogger }));
    expect(await ask('/api/v1/stream', admin, { 'last-event-id': 'e:1' })).toEqual({
      status: 200,
      type: 'text/event-stream; charset=utf-8',
      body: ': from e:1\n\n',
    });
    expect((await ask('/api/v1/stream', 'stranger')).status).toBe(403);
  });

  test('serves the page without a token, and its data to authorized callers', async () => {
    const { ask, addApi, admin } = await serveApi('--ui-bind-address');
    expect((await ask('/api/v1/history', admin)).status).toBe(503);
    const operatorView = { history: (namespace?: string) => [namespace ?? 'all'] } as unknown as OperatorView;
    addApi(createApi({ operatorView, logger: silentLogger }));
    expect(await ask('/ui/')).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    expect(await ask('/api/v1/history', admin)).toMatchObject({ status: 200, body: '{"reloads":["all"]}\n' });
    expect((await ask('/api/v1/history?namespace=shop', 'shopkeeper')).status).toBe(200);
    expect((await ask('/api/v1/history', 'shopkeeper')).status).toBe(403);
    expect((await ask('/api/v1/history?namespace=shop', 'nonsense')).status).toBe(401);
    expect((await ask('/api/v1/history')).status).toBe(401);
    for (const path of ['/ui/', '/api/v1/history']) {
      expect((await ask(path, admin, { host: 'evil.example' })).status, path).toBe(421);
      expect((await ask(path, admin, { 'sec-fetch-site': 'cross-site' })).status, path).toBe(403);
    }
  });
});
