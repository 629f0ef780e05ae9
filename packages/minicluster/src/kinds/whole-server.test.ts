import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Minicluster, startMinicluster } from '../minicluster.ts';
import { loadCases, loadRecord, runCase, type Send, TABLE_TYPE } from './cases.test.helper.ts';

// The same cases and the same record as in cases.test.ts, through the whole server.
const NAMESPACE = 'case-namespace';
const record = loadRecord();
const cases = loadCases();
let cluster: Minicluster;

const send: Send = async (method, path, body) => {
  const response = await fetch(`${cluster.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${cluster.adminToken}`,
      accept: method === 'GET' ? TABLE_TYPE : 'application/json',
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const content = await response.text();
  const header = response.headers.get('warning') ?? '';
  const warnings = [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(
    (match) => JSON.parse(match[1] ?? '""') as string,
  );
  return { code: response.status, body: content.startsWith('{') ? JSON.parse(content) : {}, warnings };
};

beforeAll(async () => {
  cluster = await startMinicluster({ workloads: false, seed: 1, listen: { tls: false } });
  await send('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  });
  await send('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  });
});

afterAll(() => cluster.stop());

describe('the whole server answers as a real one', () => {
  test.each(cases)('$file: $name', async (entry) => {
    expect(await runCase(entry, send, NAMESPACE)).toEqual(record[entry.name]);
  });
});
