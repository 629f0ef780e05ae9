import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { ConfigError } from '../errors.ts';
import { pem } from '../http/loopback.test.support.ts';
import { folderWith, kubeconfig, load, temporaryFolder } from './kubeconfig-files.test.support.ts';
import { loadConfig } from './load.ts';

const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const named = (server: string, name = 'dev'): object => ({
  'current-context': name,
  clusters: [{ name, cluster: { server } }],
  users: [{ name, user: { token: `token of ${name}` } }],
  contexts: [{ name, context: { cluster: name, user: name } }],
});

describe('where the configuration comes from', () => {
  const pod = (): string => folderWith({ token: 't', 'ca.crt': pem('ca.crt'), namespace: 'ops\n' });

  it('a given path wins over KUBECONFIG', async () => {
    const folder = folderWith({ a: named('https://a'), b: named('https://b') });
    const environment = { KUBECONFIG: join(folder, 'b') };
    expect((await load(folder, { environment }, 'a')).server).toBe('https://a');
  });

  it('KUBECONFIG wins over the home directory', async () => {
    const folder = folderWith({ a: named('https://a'), '.kube/config': named('https://home') });
    const options = { homeDirectory: folder, environment: { KUBECONFIG: join(folder, 'a') } };
    expect((await loadConfig(options)).server).toBe('https://a');
  });

  it('the home directory wins over the service account', async () => {
    const folder = folderWith({ '.kube/config': named('https://home') });
    const options = { environment: { ...inPod, HOME: folder }, serviceAccountDirectory: pod() };
    expect((await loadConfig(options)).server).toBe('https://home');
  });

  it('the service account is used when there is no kubeconfig, or an empty one', async () => {
    const empty = folderWith({ '.kube/config': '' });
    for (const homeDirectory of [temporaryFolder(), empty]) {
      const config = await loadConfig({ homeDirectory, environment: inPod, serviceAccountDirectory: pod() });
      expect(config.server).toBe('https://10.0.0.1:443');
    }
  });

  it('inCluster true ignores every kubeconfig, false ignores the service account', async () => {
    const folder = folderWith({ '.kube/config': named('https://home') });
    const options = { homeDirectory: folder, environment: inPod, serviceAccountDirectory: pod() };
    expect((await loadConfig({ ...options, inCluster: true })).server).toBe('https://10.0.0.1:443');
    const nothing = loadConfig({ ...options, homeDirectory: temporaryFolder(), inCluster: false });
    await expect(nothing).rejects.toThrow(/^No cluster is configured/);
  });
});

describe('several files in KUBECONFIG', () => {
  it('are merged: the first to name an entry or the current context wins as a whole', async () => {
    const first = { ...named('https://first', 'shared'), 'current-context': '' };
    const second = {
      'current-context': 'shared',
      clusters: [{ name: 'shared', cluster: { server: 'https://second', 'tls-server-name': 'x' } }],
      users: [{ name: 'shared', user: { as: 'somebody' } }],
      contexts: [{ name: 'shared', context: { cluster: 'other', namespace: 'second' } }],
    };
    const third = { ...named('https://third', 'third') };
    const folder = folderWith({ first, second, third });
    const environment = {
      KUBECONFIG: ['first', 'missing', 'second', 'third'].map((name) => join(folder, name)).join(delimiter),
    };
    const config = await loadConfig({ environment });
    expect(config.context).toBe('shared');
    expect(config.server).toBe('https://first');
    expect(config.namespace).toBe('default');
    expect((await config.tls.current()).serverName).toBeUndefined();
    expect(await config.credentials.current()).toEqual({ authorization: 'Bearer token of shared' });
    expect((await loadConfig({ environment, context: 'third' })).server).toBe('https://third');
  });

  it('keep their own folders for relative paths', async () => {
    const cluster = { cluster: { server: 'https://a', 'certificate-authority': 'ca.crt' } };
    const folder = folderWith({
      'one/config': {
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      },
      'two/config': { clusters: [{ name: 'c', ...cluster }] },
      'two/ca.crt': pem('other-ca.crt'),
      'three/config': { users: [{ name: 'u', user: { tokenFile: 'token' } }] },
      'three/token': 'from three\n',
    });
    const paths = ['one', 'two', 'three'].map((name) => join(folder, name, 'config'));
    const config = await loadConfig({ environment: { KUBECONFIG: paths.join(delimiter) } });
    expect((await config.tls.current()).ca).toBe(pem('other-ca.crt'));
    expect(await config.credentials.current()).toEqual({ authorization: 'Bearer from three' });
  });
});

describe('a kubeconfig', () => {
  it('is read from YAML as kubectl writes it', async () => {
    const folder = folderWith({
      config: `
apiVersion: v1
kind: Config
preferences: {}
current-context: admin@prod
clusters:
- name: prod
  cluster:
    server: https://prod.test/k8s/clusters/c-1/
    certificate-authority-data: ${Buffer.from(pem('ca.crt')).toString('base64')}
contexts:
- context: {cluster: prod, user: admin, namespace: web}
  name: admin@prod
users:
- name: admin
  user:
    token: >-
      abc
`,
    });
    const config = await load(folder);
    expect(config).toMatchObject({
      server: 'https://prod.test/k8s/clusters/c-1',
      context: 'admin@prod',
      user: 'admin',
      namespace: 'web',
    });
    expect((await config.tls.current()).ca).toBe(pem('ca.crt'));
    expect(await config.credentials.current()).toEqual({ authorization: 'Bearer abc' });
  });

  it('with data and a file uses the data', async () => {
    const cluster = {
      'certificate-authority': 'missing.crt',
      'certificate-authority-data': Buffer.from(pem('ca.crt')).toString('base64'),
    };
    const config = await load(folderWith({ config: kubeconfig({ cluster }) }));
    expect((await config.tls.current()).ca).toBe(pem('ca.crt'));
  });

  it('with a token and a token file uses the file if it can be read', async () => {
    const user = { token: 'fixed', tokenFile: 'token' };
    const both = await load(folderWith({ config: kubeconfig({ user }), token: 'from file' }));
    expect(await both.credentials.current()).toEqual({ authorization: 'Bearer from file' });
    const fallback = await load(folderWith({ config: kubeconfig({ user }) }));
    expect(await fallback.credentials.current()).toEqual({ authorization: 'Bearer fixed' });
  });

  it('with a password sends it', async () => {
    const user = { username: 'me', password: 'p:ss' };
    const config = await load(folderWith({ config: kubeconfig({ user }) }));
    const expected = `Basic ${Buffer.from('me:p:ss').toString('base64')}`;
    expect(await config.credentials.current()).toEqual({ authorization: expected });
  });

  it('without a user sends no credentials', async () => {
    const config = await load(folderWith({ config: kubeconfig({ context: { user: '' } }) }));
    expect(await config.credentials.current()).toEqual({});
    expect(config.user).toBeUndefined();
  });

  it('may act as somebody else', async () => {
    const user = {
      token: 't',
      as: 'jane',
      'as-uid': '42',
      'as-groups': ['dev', 'ops'],
      'as-user-extra': { 'Example.com/Scopes': ['view', 'edit'] },
    };
    const config = await load(folderWith({ config: kubeconfig({ user }) }));
    expect(await config.credentials.current()).toEqual({
      authorization: 'Bearer t',
      'impersonate-user': 'jane',
      'impersonate-uid': '42',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.com%2Fscopes': ['view', 'edit'],
    });
  });

  it('passes an http proxy on', async () => {
    const cluster = { 'proxy-url': 'http://proxy.test:3128' };
    const config = await load(folderWith({ config: kubeconfig({ cluster }) }));
    expect(config.proxyUrl).toBe('http://proxy.test:3128');
  });

  it('pollutes no prototype', async () => {
    const text =
      '{"__proto__":{"polluted":1},"current-context":"x","contexts":[{"name":"__proto__","context":{}}]}';
    await expect(load(folderWith({ config: text }))).rejects.toThrow(/choose one of __proto__/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('a token file', () => {
  it('is read again after a minute', async () => {
    const clock = new VirtualClock();
    const folder = folderWith({ config: kubeconfig({ user: { tokenFile: 'token' } }), token: 'first' });
    const { credentials } = await load(folder, { clock });
    expect(await credentials.current()).toEqual({ authorization: 'Bearer first' });
    writeFileSync(join(folder, 'token'), 'second');
    await clock.advance(59_999);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer first' });
    await clock.advance(1);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer second' });
  });

  it('is read again at once after a 401, and only what is new is offered', async () => {
    const folder = folderWith({ config: kubeconfig({ user: { tokenFile: 'token' } }), token: 'first' });
    const { credentials } = await load(folder, { clock: new VirtualClock() });
    const rejected = await credentials.current();
    expect(await credentials.renew(rejected)).toBeUndefined();
    writeFileSync(join(folder, 'token'), 'second');
    expect(await credentials.renew(rejected)).toEqual({ authorization: 'Bearer second' });
  });

  it('that vanishes for a moment does no harm', async () => {
    const clock = new VirtualClock();
    const folder = folderWith({
      config: kubeconfig({ user: { tokenFile: 'dir/token' } }),
      'dir/token': 'first',
    });
    const { credentials } = await load(folder, { clock });
    await credentials.current();
    const { rmSync } = await import('node:fs');
    rmSync(join(folder, 'dir'), { recursive: true });
    await clock.advance(60_000);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer first' });
  });
});

describe('in a cluster', () => {
  const serviceAccount = { token: 'pod token\n', 'ca.crt': pem('ca.crt'), namespace: 'ops\n' };

  it('server, CA, token and namespace come from the pod', async () => {
    const serviceAccountDirectory = folderWith(serviceAccount);
    const config = await loadConfig({ inCluster: true, environment: inPod, serviceAccountDirectory });
    expect(config).toMatchObject({ server: 'https://10.0.0.1:443', namespace: 'ops' });
    expect(await config.credentials.current()).toEqual({ authorization: 'Bearer pod token' });
    expect((await config.tls.current()).ca).toBe(pem('ca.crt'));
  });

  it('an IPv6 address gets its brackets', async () => {
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
    const serviceAccountDirectory = folderWith(serviceAccount);
    const config = await loadConfig({ inCluster: true, environment, serviceAccountDirectory });
    expect(config.server).toBe('https://[fd00::1]:6443');
  });

  it('a replaced CA is noticed within a minute, and nothing changes before', async () => {
    const clock = new VirtualClock();
    const serviceAccountDirectory = folderWith(serviceAccount);
    const config = await loadConfig({ inCluster: true, environment: inPod, serviceAccountDirectory, clock });
    const before = await config.tls.current();
    await clock.advance(60_000);
    expect(await config.tls.current()).toBe(before);
    writeFileSync(join(serviceAccountDirectory, 'ca.crt'), pem('other-ca.crt'));
    await clock.advance(60_000);
    const after = await config.tls.current();
    expect(after).not.toBe(before);
    expect(after.ca).toBe(pem('other-ca.crt'));
  });

  it('a service account that is not mounted is a ConfigError that says so', async () => {
    const load = loadConfig({
      inCluster: true,
      environment: inPod,
      serviceAccountDirectory: folderWith({ 'ca.crt': pem('ca.crt') }),
    });
    await expect(load).rejects.toThrow(ConfigError);
    await expect(load).rejects.toThrow(
      /service account token .*\/token: there is no such file.*automountServiceAccountToken/,
    );
  });
});
