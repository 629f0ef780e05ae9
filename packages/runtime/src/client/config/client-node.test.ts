/**
 * Our loader against the one of @kubernetes/client-node 1.4.0: the same files, the same connection.
 * Where the two differ on purpose (docs/adr/0002-own-kubeconfig-loader.md) a test of its own says so.
 */
import { writeFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pem } from '../http/loopback.test.support.ts';
import { folderWith, kubeconfig, load, temporaryFolder } from './kubeconfig-files.test.support.ts';

interface Connection {
  readonly context: string | undefined;
  readonly user: string | undefined;
  readonly server: string | undefined;
  readonly namespace: string;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly serverName: string | undefined;
  readonly insecure: boolean;
  readonly authorization: unknown;
  readonly impersonated: unknown;
  readonly proxy: string | undefined;
}

async function ours(folder: string): Promise<Connection> {
  const config = await load(folder);
  const tls = await config.tls.current();
  const headers = await config.credentials.current();
  return {
    context: config.context,
    user: config.user,
    server: config.server,
    namespace: config.namespace,
    ca: tls.ca,
    cert: tls.certificate?.cert,
    key: tls.certificate?.key,
    serverName: tls.serverName,
    insecure: tls.insecure,
    authorization: headers.authorization,
    impersonated: headers['impersonate-user'],
    proxy: config.proxyUrl,
  };
}

async function theirs(folder: string): Promise<Connection> {
  const config = new KubeConfig();
  config.loadFromFile(join(folder, 'config'));
  const options: RequestOptions & { headers?: Record<string, string> } = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const context = config.getContextObject(config.getCurrentContext());
  const basic = options.auth ? `Basic ${Buffer.from(options.auth).toString('base64')}` : undefined;
  return {
    context: config.getCurrentContext(),
    user: context?.user,
    server: config.getCurrentCluster()?.server,
    namespace: context?.namespace ?? 'default',
    ca: text(options.ca),
    cert: text(options.cert),
    key: text(options.key),
    serverName: options.servername,
    insecure: options.rejectUnauthorized === false,
    authorization: options.headers?.Authorization ?? basic,
    impersonated: options.headers?.['Impersonate-User'],
    proxy: config.getCurrentCluster()?.proxyUrl,
  };
}

function text(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

const base64 = (name: string): string => Buffer.from(pem(name)).toString('base64');
const name = fc.stringMatching(/^[a-zA-Z0-9@:/._-]{1,12}$/);

const anyCluster = fc.record(
  {
    server: fc.constantFrom(
      'https://a.test',
      'https://a.test:6443/',
      'https://[::1]:6443',
      'https://a.test/k8s/c-1',
    ),
    trust: fc.constantFrom(
      {},
      { 'insecure-skip-tls-verify': true },
      { 'insecure-skip-tls-verify': false },
      { 'certificate-authority-data': base64('ca.crt') },
      { 'certificate-authority': 'pki/ca.crt' },
      { 'certificate-authority': 'ABSOLUTE/pki/other-ca.crt' },
    ),
    'tls-server-name': name,
    'proxy-url': fc.constantFrom('http://proxy.test:3128'),
  },
  { requiredKeys: ['server', 'trust'] },
);

const anyUser = fc.record(
  {
    login: fc.constantFrom({}, { token: 'abc.def' }, { username: 'me', password: 'secret:x' }),
    certificate: fc.constantFrom(
      {},
      { 'client-certificate-data': base64('client.crt'), 'client-key-data': base64('client.key') },
      { 'client-certificate': 'pki/client.crt', 'client-key': 'ABSOLUTE/pki/client.key' },
    ),
    as: name,
  },
  { requiredKeys: ['login', 'certificate'] },
);

const anyContext = fc.record(
  { cluster: fc.nat(2), user: fc.nat(2), namespace: fc.constantFrom('', 'web') },
  { requiredKeys: ['cluster', 'user'] },
);

const anyKubeconfig = fc
  .record({
    clusters: fc.array(anyCluster, { minLength: 3, maxLength: 3 }),
    users: fc.array(anyUser, { minLength: 3, maxLength: 3 }),
    contexts: fc.uniqueArray(fc.tuple(name, anyContext), {
      selector: ([key]) => key,
      minLength: 1,
      maxLength: 4,
    }),
    yaml: fc.boolean(),
  })
  .map(({ clusters, users, contexts, yaml }) => {
    const document = {
      apiVersion: 'v1',
      kind: 'Config',
      preferences: {},
      'current-context': contexts[0]?.[0],
      clusters: clusters.map(({ trust, ...rest }, index) => ({
        name: `c${index}`,
        cluster: { ...rest, ...trust },
      })),
      users: users.map(({ login, certificate, ...rest }, index) => ({
        name: `u${index}`,
        user: { ...rest, ...login, ...certificate },
      })),
      contexts: contexts.map(([key, { cluster, user, ...rest }]) => ({
        name: key,
        context: { ...rest, cluster: `c${cluster}`, user: `u${user}` },
      })),
    };
    // JSON is YAML; after a comment, only a YAML parser accepts it.
    return `${yaml ? '# kubeconfig\n' : ''}${JSON.stringify(document, null, 2)}`;
  });

describe('our loader and the one of @kubernetes/client-node', () => {
  it('read the same connection from any kubeconfig', async () => {
    const folder = folderWith({
      'pki/ca.crt': pem('ca.crt'),
      'pki/other-ca.crt': pem('other-ca.crt'),
      'pki/client.crt': pem('client.crt'),
      'pki/client.key': pem('client.key'),
    });
    await fc.assert(
      fc.asyncProperty(anyKubeconfig, async (content) => {
        writeFileSync(join(folder, 'config'), content.replaceAll('ABSOLUTE', folder));
        expect(await ours(folder)).toEqual(await theirs(folder));
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['a cluster without a server', { clusters: [{ name: 'c', cluster: {} }] }],
    ['a cluster without a name', { clusters: [{ cluster: { server: 'https://a' } }] }],
    ['a user without a name', { users: [{ user: {} }] }],
    ['a context without a name', { contexts: [{ context: { cluster: 'c' } }] }],
  ])('both refuse %s', async (_, part) => {
    const folder = folderWith({ config: { ...kubeconfig(), ...part } });
    expect(() => new KubeConfig().loadFromFile(join(folder, 'config'))).toThrow();
    await expect(load(folder)).rejects.toThrow();
  });

  it('run the same plugin for a token', async () => {
    const script =
      'console.log(JSON.stringify({kind:"ExecCredential",apiVersion:"client.authentication.k8s.io/v1",status:{token:"t-"+process.env.WHO}}))';
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      command: process.execPath,
      args: ['-e', script],
      env: [{ name: 'WHO', value: 'me' }],
    };
    const folder = folderWith({ config: kubeconfig({ user: { exec } }) });
    expect((await ours(folder)).authorization).toBe('Bearer t-me');
    expect((await theirs(folder)).authorization).toBe('Bearer t-me');
  });
});

describe('where we differ on purpose', () => {
  it('data wins over a file, as with kubectl; client-node takes the file', async () => {
    const cluster = { 'certificate-authority': 'ca.crt', 'certificate-authority-data': base64('ca.crt') };
    const folder = folderWith({ config: kubeconfig({ cluster }), 'ca.crt': pem('other-ca.crt') });
    expect((await ours(folder)).ca).toBe(pem('ca.crt'));
    expect((await theirs(folder)).ca).toBe(pem('other-ca.crt'));
  });

  it('tokenFile is read, as with kubectl; client-node does not know it', async () => {
    const folder = folderWith({ config: kubeconfig({ user: { tokenFile: 'token' } }), token: 'abc' });
    expect((await ours(folder)).authorization).toBe('Bearer abc');
    expect((await theirs(folder)).authorization).toBeUndefined();
  });

  it('two files may name the same cluster, as with kubectl; client-node refuses', async () => {
    const folder = temporaryFolder();
    for (const file of ['a', 'b']) writeFileSync(join(folder, file), JSON.stringify(kubeconfig()));
    const [a, b] = [new KubeConfig(), new KubeConfig()];
    a.loadFromFile(join(folder, 'a'));
    b.loadFromFile(join(folder, 'b'));
    expect(() => a.mergeConfig(b)).toThrow(/Duplicate/);
    const { loadConfig } = await import('./load.ts');
    const environment = { KUBECONFIG: `${join(folder, 'a')}:${join(folder, 'b')}` };
    expect((await loadConfig({ environment })).server).toBe('https://api.test:6443');
  });

  it('an unknown user or context is an error; client-node goes on without', async () => {
    const folder = folderWith({ config: kubeconfig({ context: { user: 'nobody' } }) });
    await expect(load(folder)).rejects.toThrow(/there is no such user/);
    expect((await theirs(folder)).authorization).toBeUndefined();
  });
});
