import { readFileSync } from 'node:fs';
import { silentLogger } from '@reloader/runtime';
import { expect, test } from 'vitest';
import type { OperatorView } from './operator-view.ts';
import { LOCAL_READER } from './reader.ts';
import { createApi } from './routes.ts';

// TypeScript's compiler interface: the module has no types that this project could read.
const { generatedOpenApi } = (await import(
  new URL('../../../../scripts/openapi.mjs', import.meta.url).href
)) as {
  generatedOpenApi: () => [string, string][];
};

const [[path = '', content = ''] = []] = generatedOpenApi();

test('the document is that of the types: npm run generate', () => {
  expect(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')).toBe(content);
});

test('it is served without authorization: it says nothing about a cluster', async () => {
  const api = createApi({ operatorView: {} as OperatorView, logger: silentLogger });
  const { status, body } = await api({
    method: 'GET',
    path: '/api/v1/openapi.json',
    query: new URLSearchParams(),
    reader: { ...LOCAL_READER, mayRead: async () => 'forbidden' },
    signal: new AbortController().signal,
  });
  expect(status).toBe(200);
  expect(body).toEqual(JSON.parse(content));
});

test('every reference resolves, and optional fields are not required', () => {
  const { components, paths } = JSON.parse(content) as {
    components: { schemas: Record<string, { properties?: object; required?: string[] }> };
    paths: object;
  };
  const names = Object.keys(components.schemas);
  for (const [, name] of content.matchAll(/#\/components\/schemas\/(\w+)/g)) expect(names).toContain(name);
  expect(components.schemas.WorkloadLine?.required).toEqual([
    'workload',
    'state',
    'sources',
    'reloads',
    'problems',
  ]);
  expect(Object.keys(paths)).toContain('/api/v1/timeline');
});
