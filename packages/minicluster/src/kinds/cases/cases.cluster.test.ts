import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { useControlPlane } from '../../../../../test/control-plane/vitest.ts';
import {
  loadCases,
  loadRecord,
  type Outcome,
  recordFile,
  runCase,
  type Send,
  TABLE_TYPE,
} from './cases.test.helper.ts';

const NAMESPACE = 'case-namespace';
const recording = process.env.RECORD_CASES === '1';
const cases = loadCases();
const record = recording ? {} : loadRecord();
// No controllers: nobody else changes what a case has created.
const cluster = useControlPlane();

const send: Send = (method, path, body) =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${cluster().server}${path}`, {
      method,
      ca: cluster().authority.certificate,
      headers: {
        authorization: `Bearer ${cluster().adminToken}`,
        accept: method === 'GET' ? TABLE_TYPE : 'application/json',
        'content-type': 'application/json',
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const warnings = response.headers.warning?.toString() ?? '';
      text(response).then(
        (content) =>
          resolve({ code: response.statusCode ?? 0, body: JSON.parse(content), warnings: texts(warnings) }),
        reject,
      );
    });
    const payload = JSON.stringify(body ?? {});
    // Node sends no length with a DELETE by itself, and the body would be read as the next request.
    outgoing.setHeader('content-length', Buffer.byteLength(payload));
    outgoing.end(payload);
  });

const texts = (header: string): string[] =>
  [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1] ?? '""') as string);

beforeAll(async () => {
  await create('/api/v1/namespaces', { kind: 'Namespace', metadata: { name: NAMESPACE } });
  const accounts = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
  await create(accounts, { kind: 'ServiceAccount', metadata: { name: 'default' } });
});

const create = (path: string, object: object): Promise<unknown> =>
  cluster().api.call(path, { method: 'POST', body: { apiVersion: 'v1', ...object } });

describe('a real server', () => {
  const seen: Record<string, Outcome[]> = {};

  test.each(cases)('$name', async (entry) => {
    const outcomes = await runCase(entry, send, NAMESPACE);
    seen[entry.name] = outcomes;
    if (!recording) expect(outcomes).toEqual(record[entry.name]);
  });

  test.runIf(recording)('is recorded', () => {
    writeFileSync(recordFile, `${JSON.stringify(seen, null, 1)}\n`);
  });
});
