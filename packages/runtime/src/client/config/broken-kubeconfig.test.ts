import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unreadable } from '../auth/file-content.ts';
import { ConfigError } from '../errors.ts';
import { pem } from '../http/loopback.test.support.ts';
import {
  folderWith,
  kubeconfig,
  load,
  type Parts,
  temporaryFolder,
} from './kubeconfig-files.test.support.ts';
import { loadConfig } from './load.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const exec = (fields: object): Parts => ({
  user: {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      command: 'x',
      ...fields,
    },
  },
});

/** The mistake, the file, and the expected message. FILE stands for the path. */
const cases: [string, string | object, RegExp][] = [
  ['text that is no YAML', 'a: [', /Kubeconfig FILE is not valid YAML at line 1, column \d+: /],
  ['a key twice', 'kind: Config\nkind: Config\n', /not valid YAML at line 2, column 1: duplicate key$/],
  ['an alias without its anchor', 'users: *u\n', /not valid YAML.*: an alias cannot be resolved$/],
  ['two documents', 'a: 1\n---\nb: 2\n', /not valid YAML at line 2, column 1: multiple docs$/],
  ['a list', '- 1', /Kubeconfig FILE must be a mapping, not a list/],
  ['another kind', { kind: 'Pod' }, /FILE is no kubeconfig but a Pod: check the path/],
  ['nothing in it', '', /Kubeconfig FILE sets no current-context: it has no contexts at all/],
  [
    'clusters that are no list',
    { clusters: {} },
    /clusters of kubeconfig FILE must be a list, not a mapping/,
  ],
  ['an entry without a name', { clusters: [{ cluster: {} }] }, /name of clusters\[0\] of FILE is missing/],
  [
    'a name twice',
    { users: [{ name: 'a' }, { name: 'a' }] },
    /users of FILE has two entries named "a": remove one/,
  ],
  [
    'no current context',
    { contexts: [{ name: 'b' }, { name: 'a' }] },
    /sets no current-context: choose one of a, b/,
  ],
  [
    'an unknown current context',
    { 'current-context': 'x', contexts: [{ name: 'a' }] },
    /has no context "x": choose one of a/,
  ],
  [
    'a context without a cluster',
    kubeconfig({ context: { cluster: '' } }),
    /cluster of context "dev" of FILE is missing/,
  ],
  [
    'an unknown cluster',
    kubeconfig({ context: { cluster: 'z' } }),
    /cluster of context "dev" of FILE is "z", but there is no such cluster/,
  ],
  [
    'an unknown user',
    kubeconfig({ context: { user: 'z' } }),
    /user of context "dev" of FILE is "z", but there is no such user/,
  ],
  ['no server', kubeconfig({ cluster: { server: '' } }), /server of cluster "c" of FILE is missing/],
  [
    'a server without a scheme',
    kubeconfig({ cluster: { server: 'api.test:6443' } }),
    /server of cluster "c" of FILE is "api.test:6443", but must be a URL/,
  ],
  [
    'a SOCKS proxy',
    kubeconfig({ cluster: { 'proxy-url': 'socks5://p:1080' } }),
    /proxy-url of cluster "c" of FILE must begin with http:\/\/.*socks5 are not supported/,
  ],
  [
    'a CA that is no PEM',
    kubeconfig({ cluster: { 'certificate-authority-data': 'AAAA' } }),
    /certificate-authority-data of cluster "c" of FILE must be a PEM text in base64/,
  ],
  [
    'a CA and no verification',
    kubeconfig({ cluster: { 'certificate-authority': 'x', 'insecure-skip-tls-verify': true } }),
    /insecure-skip-tls-verify of cluster "c" of FILE cannot be true together/,
  ],
  [
    'text where true or false belongs',
    kubeconfig({ cluster: { 'insecure-skip-tls-verify': 'yes' } }),
    /insecure-skip-tls-verify of cluster "c" of FILE must be true or false, not a string/,
  ],
  [
    'a certificate without its key',
    kubeconfig({ user: { 'client-certificate-data': base64(pem('client.crt')) } }),
    /client-key of user "u" of FILE is missing/,
  ],
  [
    'a key without its certificate',
    kubeconfig({ user: { 'client-key-data': base64(pem('client.key')) } }),
    /client-certificate of user "u" of FILE is missing/,
  ],
  [
    'a token that is a number',
    kubeconfig({ user: { token: 12345 } }),
    /token of user "u" of FILE must be a string, not a number: put it in quotes/,
  ],
  [
    'a token and a password',
    kubeconfig({ user: { token: 'a', username: 'b' } }),
    /The user "u" of FILE has a token and a password/,
  ],
  [
    'an auth-provider',
    kubeconfig({ user: { 'auth-provider': { name: 'gcp' } } }),
    /user "u" of FILE uses the auth-provider gcp, .*replace it by an exec plugin/,
  ],
  [
    'groups without a user to act as',
    kubeconfig({ user: { 'as-groups': ['a'] } }),
    /as of user "u" of FILE is missing/,
  ],
  [
    'an exec version that is gone',
    kubeconfig(exec({ apiVersion: 'client.authentication.k8s.io/v1alpha1' })),
    /apiVersion of exec of user "u" of FILE is .*v1alpha1, but only v1 and v1beta1/,
  ],
  [
    'an exec without a command',
    kubeconfig(exec({ command: '' })),
    /command of exec of user "u" of FILE is missing/,
  ],
  [
    'an exec v1 without interactiveMode',
    kubeconfig(exec({ interactiveMode: '' })),
    /interactiveMode of exec of user "u" of FILE is missing: Never, IfAvailable or Always/,
  ],
  [
    'an unknown interactiveMode',
    kubeconfig(exec({ interactiveMode: 'Maybe' })),
    /interactiveMode of exec of user "u" of FILE is "Maybe"/,
  ],
  [
    'an exec variable without a name',
    kubeconfig(exec({ env: [{ value: 'x' }] })),
    /name of env\[0\] of exec of user "u" of FILE is missing/,
  ],
  [
    'an exec argument that is a number',
    kubeconfig(exec({ args: ['a', 1] })),
    /args\[1\] of exec of user "u" of FILE must be a string, not a number/,
  ],
];

describe('a broken kubeconfig is refused with a message that names the field and says what to do', () => {
  it.each(cases)('%s', async (_, content, pattern) => {
    const folder = folderWith({ config: content });
    const failure = load(folder);
    await expect(failure).rejects.toThrow(ConfigError);
    const message = await failure.catch((error: Error) =>
      error.message.replaceAll(join(folder, 'config'), 'FILE'),
    );
    expect(message).toMatch(pattern);
    expect(message).not.toMatch(/\.$/);
  });
});

describe('a kubeconfig that cannot be read', () => {
  it('is named when it was asked for', async () => {
    await expect(load('/nowhere')).rejects.toThrow(
      'Cannot read the kubeconfig /nowhere/config: there is no such file, check the path',
    );
  });

  it('is named when its permissions forbid it', () => {
    const error = unreadable('kubeconfig', '/etc/config', Object.assign(new Error('no'), { code: 'EACCES' }));
    expect(error.message).toBe(
      'Cannot read the kubeconfig /etc/config: this user may not read it, check its permissions',
    );
  });

  it('and nothing else either: all places are listed', async () => {
    const homeDirectory = temporaryFolder();
    const nothing = loadConfig({ homeDirectory, environment: {} });
    await expect(nothing).rejects.toThrow(ConfigError);
    await expect(nothing).rejects.toThrow(
      `No cluster is configured: ${homeDirectory}/.kube/config (not there) and this is no pod (KUBERNETES_SERVICE_HOST is not set). Give a kubeconfig, set KUBECONFIG, or run in a cluster`,
    );
    const listed = loadConfig({ environment: { KUBECONFIG: '/nowhere/a' } });
    await expect(listed).rejects.toThrow(/\/nowhere\/a \(named by KUBECONFIG, not there\)/);
  });

  it('does not show what stands in it', async () => {
    const folder = folderWith({ config: 'users:\n- name: u\n  user: {token: hunter2\n' });
    const error = await load(folder).catch((thrown: unknown) => thrown);
    const { inspect } = await import('node:util');
    expect(inspect(error)).not.toContain('hunter2');
  });
});
