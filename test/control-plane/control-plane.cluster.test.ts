import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CommandError } from './command.ts';
import { isRunning } from './testing.ts';
import { useControlPlane } from './vitest.ts';

const cluster = useControlPlane();

const configMap = (name: string, namespace = 'default') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { key: 'value' },
});

describe('the administrator', () => {
  test('finds the API server ready', async () => {
    await cluster().waitUntilReady();
    expect(await cluster().kubectl(['get', '--raw', '/readyz'])).toBe('ok');
  });

  test('has a kubeconfig that verifies the server', () => {
    const text = readFileSync(cluster().kubeconfig, 'utf8');
    expect(text).not.toContain('insecure');
    expect(text).toContain('certificate-authority-data');
  });

  test('writes and reads with kubectl', async () => {
    await cluster().kubectl(['apply', '-f', '-'], { input: configMap('written') });
    const read = await cluster().kubectl(['get', 'configmap', 'written', '-o', 'jsonpath={.data.key}']);
    expect(read).toBe('value');
  });

  test('is told what kubectl wrote when it fails', async () => {
    const error = await cluster()
      .kubectl(['get', 'configmap', 'missing'])
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(CommandError);
    expect((error as CommandError).stderr).toContain('"missing" not found');
  });
});

describe('a service account', () => {
  test('may do what its rules say and nothing else', async () => {
    const { kubeconfig } = await cluster().serviceAccount('limited', 'app', {
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
      clusterRules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['list'] }],
    });
    await cluster().kubectl(['get', 'configmaps'], { kubeconfig });
    await cluster().kubectl(['get', 'namespaces'], { kubeconfig });
    const refused = [
      ['get', 'secrets'],
      ['get', 'configmaps', '-n', 'default'],
      ['create', 'configmap', 'new'],
      ['get', 'namespace', 'default'],
    ];
    for (const args of refused) {
      await expect(cluster().kubectl(args, { kubeconfig })).rejects.toThrow(/forbidden/i);
    }
  });

  test('loses and regains permissions at run time', async () => {
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    const { kubeconfig } = await cluster().serviceAccount('changing', 'app', { rules });
    const list = () => cluster().kubectl(['get', 'configmaps'], { kubeconfig });
    await list();
    await cluster().serviceAccount('changing', 'app');
    await expect.poll(() => list().then(String, String), { timeout: 10_000 }).toContain('Forbidden');
    await cluster().serviceAccount('changing', 'app', { rules });
    await list();
  });
});

describe('a user with a client certificate', () => {
  test('is known to the server by name and groups', async () => {
    const kubeconfig = await cluster().kubeconfigFor({ user: 'alice', groups: ['team-a'] });
    const whoami = JSON.parse(await cluster().kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfig })) as {
      status: { userInfo: { username: string; groups: string[] } };
    };
    expect(whoami.status.userInfo.username).toBe('alice');
    expect(whoami.status.userInfo.groups).toEqual(['team-a', 'system:authenticated']);
  });

  test('is refused once the certificate has expired', async () => {
    const validity = { notAfter: new Date(Date.now() - 60_000) };
    const kubeconfig = await cluster().kubeconfigFor({ user: 'alice', validity });
    await expect(cluster().kubectl(['auth', 'whoami'], { kubeconfig })).rejects.toThrow(
      /Unauthorized|provide credentials/,
    );
  });
});

describe('the audit log', () => {
  test('tells exactly which requests an account made', async () => {
    const account = await cluster().serviceAccount('audited', 'app', {
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
    });
    const { user, token } = account;
    const mark = await cluster().audit.mark();
    const path = '/api/v1/namespaces/audited';
    for (let index = 0; index < 20; index += 1) {
      await cluster().api.send(`${path}/configmaps/c${index}`, { token });
    }
    await cluster().api.send(`${path}/secrets`, { token });
    expect(await cluster().audit.count({ user }, mark)).toBe(21);
    expect(await cluster().audit.count({ user, verb: 'get', resource: 'configmaps', code: 404 }, mark)).toBe(
      20,
    );
    expect(await cluster().audit.since(mark, { user, code: 403 })).toMatchObject([
      { verb: 'list', resource: 'secrets', namespace: 'audited', requestURI: `${path}/secrets` },
    ]);
    expect(await cluster().audit.since(await cluster().audit.mark(), { user })).toEqual([]);
  });

  test('counts a watch as soon as it is open, and not again when it ends', async () => {
    const path = '/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name=w';
    const logFile = join(cluster().directory, 'audit.log');
    const lines = () =>
      readFileSync(logFile, 'utf8')
        .split('\n')
        .filter((line) => line.includes('name=w"'));
    const mark = await cluster().audit.mark();
    const watches = () => cluster().audit.count({ verb: 'watch', requestURI: path }, mark);
    const close = new AbortController();
    const watching = cluster().api.send(path, { signal: close.signal });
    await expect.poll(watches, { timeout: 8_000 }).toBe(1);
    close.abort();
    await expect(watching).rejects.toThrow('aborted');
    await expect.poll(lines, { timeout: 30_000 }).toHaveLength(2);
    expect(await watches()).toBe(1);
  });
});

describe('a component that is killed', () => {
  test('the API server comes back at the same address, with the same data and a whole audit log', async () => {
    await cluster().kubectl(['apply', '-f', '-'], { input: configMap('kept') });
    const before = await cluster().audit.count({ user: 'admin', name: 'kept' });
    const { server } = cluster();
    const pid = cluster().pid('kube-apiserver') ?? 0;
    await cluster().kill('kube-apiserver');
    expect(isRunning(pid)).toBe(false);
    await expect(cluster().api.send('/readyz')).rejects.toThrow('ECONNREFUSED');
    await cluster().restart('kube-apiserver');
    expect(cluster().server).toBe(server);
    await cluster().kubectl(['get', 'configmap', 'kept']);
    expect(await cluster().audit.count({ user: 'admin', name: 'kept' })).toBe(before + 1);
  });

  test('etcd comes back with its data and the API server finds it', async () => {
    await cluster().kubectl(['apply', '-f', '-'], { input: configMap('stored') });
    await cluster().kill('etcd');
    await cluster().restart('etcd');
    await cluster().waitUntilReady();
    await cluster().kubectl(['get', 'configmap', 'stored']);
  });

  test('the API server goes on where it was after it was stopped and continued', async () => {
    await cluster().kill('kube-apiserver', 'SIGSTOP');
    const answer = cluster().api.send('/readyz');
    const silent = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 300, 'silent'))]);
    expect(silent).toBe('silent');
    await cluster().kill('kube-apiserver', 'SIGCONT');
    expect((await answer).status).toBe(200);
  });

  test('one that this control plane has not is an error that says which it has', async () => {
    await expect(cluster().kill('kwok')).rejects.toThrow('has no kwok, only etcd, kube-apiserver');
  });
});
