/** Which kept manifests the operator accepts as its own, and which it refuses. */
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, ForbiddenError, kinds } from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KEPT_LABEL, type KeptJob, KeptJobs, type KeptJobsOptions } from './kept-jobs.ts';

const KEY = Buffer.from('a key that is no secret');
const UID = 'f00d';
const JOB: KeptJob = {
  uid: UID,
  job: { apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace: 'shop', name: 'import' } },
  ledger: '{"v":1}',
};
const signal = new AbortController().signal;
let cluster: Minicluster;
let client: Client;

beforeEach(async () => {
  cluster = await startMinicluster({ seed: 5, workloads: false });
  client = createClient({ transport: cluster.transport() });
  for (const name of ['reloader', 'other']) await client.create(kinds.Namespace, { metadata: { name } });
});
afterEach(async () => {
  await client.close();
  await cluster.stop();
});

function keeper(options: Partial<KeptJobsOptions> = {}) {
  const log = createCapturingLogger();
  const inScope = (namespace: string): boolean => namespace !== 'kube-system';
  const kept = new KeptJobs({
    ...{ client, namespace: 'reloader', key: KEY, inScope, logger: log.logger },
    ...options,
  });
  const found = async (): Promise<KeptJob[]> => {
    const all: KeptJob[] = [];
    for await (const each of kept.all(signal)) all.push(each);
    return all;
  };
  return { kept, found, log };
}

/** Another client changes the Secret that holds the manifest. */
async function tampered(change: (data: Record<string, string>) => void, name = `reloader-job-${UID}`) {
  const key = { namespace: 'reloader', name: `reloader-job-${UID}` };
  const { data = {} } = await client.get(kinds.Secret, key);
  const texts = Object.fromEntries(
    Object.entries(data).map(([field, text]) => [field, Buffer.from(text, 'base64').toString()]),
  );
  change(texts);
  await client.delete(kinds.Secret, key);
  const metadata = { namespace: 'reloader', name, labels: { [KEPT_LABEL]: 'true' } };
  await client.create(kinds.Secret, { metadata, stringData: texts });
}

const evil = JSON.stringify({ ...JOB.job, metadata: { namespace: 'shop', name: 'evil' } });

describe('A manifest', () => {
  test('is found again as it was kept, by the next process too', async () => {
    await keeper().kept.keep(JOB, signal);
    expect(await keeper().found()).toEqual([JOB]);
    const { items } = await client.list(kinds.ConfigMap, {
      namespace: 'reloader',
      labelSelector: KEPT_LABEL,
    });
    expect(items).toEqual([]);
  });

  test.each<[string, (data: Record<string, string>) => void, string?]>([
    ['with another Job', (data) => Object.assign(data, { job: evil })],
    ['with another uid', (data) => Object.assign(data, { uid: 'beef' }), 'reloader-job-beef'],
    ['under another name', () => undefined, 'reloader-job-beef'],
    ['with another ledger', (data) => Object.assign(data, { ledger: '{"v":2}' })],
    ['without its ledger', (data) => delete data.ledger],
    ['without a code', (data) => delete data.code],
    ['with a code of nothing', (data) => Object.assign(data, { code: '' })],
  ])('%s is not used, and told', async (_, change, name) => {
    const { kept, found, log } = keeper();
    await kept.keep(JOB, signal);
    await tampered(change, name);
    expect(await found()).toEqual([]);
    expect(await found()).toEqual([]);
    expect(log.messages('warn')).toHaveLength(1);
    expect(log.messages('warn')[0]).toContain('A kept manifest of a Job is not used');
  });

  test('of another operator, or kept with another key, is not used', async () => {
    await keeper({ key: Buffer.from('another key') }).kept.keep(JOB, signal);
    expect(await keeper().found()).toEqual([]);
    await keeper({ namespace: 'other' }).kept.keep(JOB, signal);
    const { data = {} } = await client.get(kinds.Secret, { namespace: 'other', name: `reloader-job-${UID}` });
    await client.update(kinds.Secret, {
      metadata: { namespace: 'reloader', name: `reloader-job-${UID}`, labels: { [KEPT_LABEL]: 'true' } },
      data,
    });
    expect(await keeper().found()).toEqual([]);
  });

  test('that was kept before a rotation of the key is used behind it, and no longer behind the next', async () => {
    await keeper().kept.keep(JOB, signal);
    const [second, third] = [Buffer.from('the second key'), Buffer.from('the third key')];
    expect(await keeper({ key: second, previousKey: KEY }).found()).toEqual([JOB]);
    const { found, log } = keeper({ key: third, previousKey: second });
    expect(await found()).toEqual([]);
    expect(log.entries.map(({ level }) => level)).toEqual(['warn']);
  });

  test('of the previous key is not used if another client changed it', async () => {
    await keeper().kept.keep(JOB, signal);
    await tampered((data) => Object.assign(data, { job: evil }));
    expect(await keeper({ key: Buffer.from('the second key'), previousKey: KEY }).found()).toEqual([]);
  });

  test('for a namespace that is not ours is not used', async () => {
    const { kept, found, log } = keeper();
    const job = { ...JOB.job, metadata: { namespace: 'kube-system', name: 'import' } };
    await kept.keep({ ...JOB, job }, signal);
    expect(await found()).toEqual([]);
    expect(log.messages('warn')[0]).toContain('a namespace that is not ours');
  });

  test('in a ConfigMap that another client created is not used', async () => {
    const metadata = { namespace: 'reloader', name: 'reloader-job-beef', labels: { [KEPT_LABEL]: 'true' } };
    await client.create(kinds.ConfigMap, { metadata, data: { uid: 'beef', job: evil } });
    expect(await keeper().found()).toEqual([]);
  });
});

describe('Without the right to write Secrets', () => {
  test('it is a ConfigMap, with a code, and told once', async () => {
    const refusing: Client = {
      ...client,
      create: (type, object, options) =>
        type.kind === 'Secret'
          ? Promise.reject(forbidden('no Secrets'))
          : client.create(type, object, options),
    };
    const { kept, found, log } = keeper({ client: refusing });
    for (const uid of ['a', 'b']) await kept.keep({ ...JOB, uid }, signal);
    expect(await found()).toHaveLength(2);
    expect(log.messages('warn')).toEqual([expect.stringContaining('are kept in ConfigMaps')]);
    for (const uid of ['a', 'b']) await kept.drop(uid, signal);
    expect(await found()).toEqual([]);
  });
});

test('without a key the namespace is the security boundary, and a warning says so', async () => {
  const { kept, found, log } = keeper({ key: undefined });
  await kept.keep(JOB, signal);
  expect(await found()).toEqual([JOB]);
  expect(log.messages('warn')).toEqual([expect.stringContaining('are kept without a code')]);
  // A process that only finds a manifest warns, too, before it creates the Job.
  const next = keeper({ key: undefined });
  expect(await next.found()).toEqual([JOB]);
  expect(next.log.messages('warn')).toEqual([expect.stringContaining('are kept without a code')]);
});

function forbidden(message: string): Error {
  return Object.assign(Object.create(ForbiddenError.prototype) as Error, { message });
}
