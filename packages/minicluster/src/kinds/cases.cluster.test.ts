import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { builtinKinds } from './builtin/index.ts';
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
// The same addresses as minicluster gives.
const cluster = useControlPlane({
  workloads: true,
  apiServerFlags: ['--service-cluster-ip-range=10.0.0.0/24'],
});

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
          resolve({ code: response.statusCode ?? 0, body: parsed(content), warnings: texts(warnings) }),
        reject,
      );
    });
    const payload = JSON.stringify(body ?? {});
    // Node sends no Content-Length for a DELETE, and the body would be read as the next request.
    outgoing.setHeader('content-length', Buffer.byteLength(payload));
    outgoing.end(payload);
  });

/** A path that is not served yet is answered with plain text. */
const parsed = (content: string): Record<string, unknown> =>
  content.startsWith('{') ? (JSON.parse(content) as Record<string, unknown>) : {};

const texts = (header: string): string[] =>
  [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1] ?? '""') as string);

beforeAll(async () => {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await cluster().api.call('/api/v1/namespaces', { method: 'POST', body });
  const account = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`;
  await vi.waitUntil(async () => (await cluster().api.send(account)).status === 200, { timeout: 30_000 });
  // From here on nothing else may change the objects of a case.
  for (const controller of ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const) {
    await cluster().kill(controller);
  }
});

describe('a real server', () => {
  const seen: Record<string, Outcome[]> = {};

  test.each(cases)('$name', async (entry) => {
    const outcomes = await runCase(entry, send, NAMESPACE);
    seen[entry.name] = outcomes;
    if (!recording) expect(outcomes).toEqual(record[entry.name]);
  });

  if (recording) {
    test('is recorded', () => writeFileSync(recordFile, `${JSON.stringify(seen, null, 1)}\n`));
  }
});

interface Resource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

describe('a real server lists', () => {
  // APIServices are served for reading only.
  const listed = builtinKinds.filter(({ plural }) => plural !== 'apiservices');

  test.each(listed)('$group/$version $plural as we do', async (kind) => {
    const path = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
    const { resources } = (await cluster().api.call(path)) as unknown as { resources: Resource[] };
    const found = resources.find(({ name }) => name === kind.plural);
    expect(found).toMatchObject({
      singularName: kind.singular,
      namespaced: kind.namespaced,
      kind: kind.kind,
      verbs: [...kind.verbs].sort(),
    });
    expect(found?.shortNames ?? []).toEqual(kind.shortNames ?? []);
    expect(found?.categories ?? []).toEqual(kind.categories ?? []);
    const subresources = resources.flatMap(({ name }) =>
      name.startsWith(`${kind.plural}/`) ? [name.slice(kind.plural.length + 1)] : [],
    );
    const ours = [
      ...(kind.subresources ?? []),
      ...(kind.hasStatus ? ['status'] : []),
      ...(kind.scale ? ['scale'] : []),
    ];
    expect(subresources.sort()).toEqual(ours.sort());
  });
});
