import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { folderWith, kubeconfig, load } from '../config/kubeconfig-files.test.support.ts';
import { ConfigError } from '../errors.ts';
import { eventually, pem } from '../http/loopback.test.support.ts';
import { impersonating } from './credentials.ts';
import { execCredentials } from './exec.ts';
import type { ExecSpec } from './exec-credential.ts';

/** Appends its input to `runs`, then prints the content of `answer`. */
const PLUGIN = `
import { appendFileSync, readFileSync } from 'node:fs';
const here = new URL('.', import.meta.url);
appendFileSync(new URL('runs', here), JSON.stringify({
  args: process.argv.slice(2), who: process.env.WHO, info: JSON.parse(process.env.KUBERNETES_EXEC_INFO),
}) + '\\n');
process.stdout.write(readFileSync(new URL('answer', here)));
`;
const V1 = 'client.authentication.k8s.io/v1';

const credential = (status: object, apiVersion = V1): object => ({
  kind: 'ExecCredential',
  apiVersion,
  status,
});

function plugin(answer: string | object): {
  folder: string;
  spec: ExecSpec;
  runs: () => { args: string[]; who: string; info: unknown }[];
} {
  const folder = folderWith({ 'plugin.mjs': PLUGIN, answer, runs: '' });
  return {
    folder,
    spec: {
      apiVersion: V1,
      command: process.execPath,
      args: [join(folder, 'plugin.mjs'), 'login'],
      env: new Map([['WHO', 'me']]),
      interactiveMode: 'Never',
      owner: 'user "u" of the test',
    },
    runs: () =>
      readFileSync(join(folder, 'runs'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}

const options = (clock = new VirtualClock()): Parameters<typeof execCredentials>[1] => ({
  clock,
  terminal: false,
});

describe('a credential plugin', () => {
  it('gives a token, and is told version, arguments and environment', async () => {
    const { spec, runs } = plugin(credential({ token: 'abc' }));
    expect(await execCredentials(spec, options()).current()).toEqual({ authorization: 'Bearer abc' });
    const info = { kind: 'ExecCredential', apiVersion: V1, spec: { interactive: false } };
    expect(runs()).toEqual([{ args: ['login'], who: 'me', info }]);
  });

  it('is run once for many waiters, and not again while its token is valid', async () => {
    const clock = new VirtualClock();
    const expirationTimestamp = new Date(clock.now() + 600_000).toISOString();
    const { spec, runs } = plugin(credential({ token: 'abc', expirationTimestamp }));
    const credentials = execCredentials(spec, options(clock));
    await Promise.all([credentials.current(), credentials.current(), credentials.clientCertificate?.()]);
    await clock.advance(594_000);
    await credentials.current();
    expect(runs()).toHaveLength(1);
    await clock.advance(2_000);
    await credentials.current();
    expect(runs()).toHaveLength(2);
  });

  it('is run again after a 401, and later callers get the new token without a run', async () => {
    const { spec, folder, runs } = plugin(credential({ token: 'old' }));
    const credentials = execCredentials(spec, options());
    const rejected = await credentials.current();
    writeFileSync(join(folder, 'answer'), JSON.stringify(credential({ token: 'new' })));
    expect(await credentials.renew(rejected)).toEqual({ authorization: 'Bearer new' });
    expect(await credentials.renew(rejected)).toEqual({ authorization: 'Bearer new' });
    expect(runs()).toHaveLength(2);
  });

  it('is run again after a 401 with impersonation too', async () => {
    const { spec, folder } = plugin(credential({ token: 'old' }));
    const credentials = impersonating(execCredentials(spec, options()), { user: 'jane' });
    const rejected = await credentials.current();
    writeFileSync(join(folder, 'answer'), JSON.stringify(credential({ token: 'new' })));
    expect(await credentials.renew(rejected)).toEqual({
      authorization: 'Bearer new',
      'impersonate-user': 'jane',
    });
  });

  it('is not run in a loop if the server accepts no token', async () => {
    const clock = new VirtualClock();
    const { spec, runs } = plugin(credential({ token: 'abc' }));
    const credentials = execCredentials(spec, options(clock));
    let headers = await credentials.current();
    headers = (await credentials.renew(headers)) ?? {};
    expect(await credentials.renew(headers)).toBeUndefined();
    await clock.advance(10_000);
    expect(await credentials.renew(headers)).toBeDefined();
    expect(runs()).toHaveLength(3);
  });

  it('gives a client certificate', async () => {
    const status = { clientCertificateData: pem('client.crt'), clientKeyData: pem('client.key') };
    const credentials = execCredentials(plugin(credential(status)).spec, options());
    expect(await credentials.current()).toEqual({});
    expect(await credentials.clientCertificate?.()).toEqual({
      cert: pem('client.crt'),
      key: pem('client.key'),
    });
  });

  it('knows v1beta1', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    const { spec } = plugin(credential({ token: 'abc' }, apiVersion));
    const credentials = execCredentials({ ...spec, apiVersion }, options());
    expect(await credentials.current()).toEqual({ authorization: 'Bearer abc' });
  });

  it('may ask questions when there is a terminal and its mode allows', async () => {
    const { spec, runs } = plugin(credential({ token: 'abc' }));
    const credentials = execCredentials(
      { ...spec, interactiveMode: 'IfAvailable' },
      { ...options(), terminal: true },
    );
    await credentials.current();
    expect(runs()[0]?.info).toMatchObject({ spec: { interactive: true } });
  });

  it('that needs a terminal is not started without one', async () => {
    const { spec, runs } = plugin(credential({ token: 'abc' }));
    const credentials = execCredentials({ ...spec, interactiveMode: 'Always' }, options());
    await expect(credentials.current()).rejects.toThrow(/needs a terminal \(interactiveMode Always\)/);
    expect(runs()).toHaveLength(0);
  });

  it('that hangs is killed after a minute', async () => {
    const clock = new VirtualClock();
    const { spec } = plugin('');
    const hanging = { ...spec, args: ['-e', 'setInterval(() => {}, 1000)'] };
    const waiting = execCredentials(hanging, options(clock)).current();
    const failed = expect(waiting).rejects.toThrow(/did not finish within 60 s: run it by hand/);
    await eventually(() => clock.pendingTimers > 0);
    await clock.advance(60_000);
    await failed;
  });

  it('is not killed when one of its waiters aborts', async () => {
    const { spec } = plugin(credential({ token: 'abc' }));
    const credentials = execCredentials(spec, options());
    const controller = new AbortController();
    const impatient = expect(credentials.current(controller.signal)).rejects.toThrow('enough');
    const patient = credentials.current();
    controller.abort(new Error('enough'));
    await impatient;
    expect(await patient).toEqual({ authorization: 'Bearer abc' });
  });
});

describe('a credential plugin that fails', () => {
  const failures: [string, Partial<ExecSpec>, RegExp][] = [
    [
      'is not installed',
      { command: 'no-such-plugin', installHint: 'Get it from example.test' },
      /Cannot start the credential plugin no-such-plugin of user "u" of the test: it is not installed or not in PATH. Get it from example.test/,
    ],
    [
      'ends with an error',
      { args: ['-e', 'console.error("login expired"); process.exit(3)'] },
      /ended with code 3: login expired/,
    ],
    ['says nothing', { args: ['-e', 'process.exit(1)'] }, /ended with code 1: it said nothing on stderr/],
  ];

  it.each(failures)('because it %s is a ConfigError that says so', async (_, change, pattern) => {
    const { spec } = plugin('');
    const failure = execCredentials({ ...spec, ...change }, options()).current();
    await expect(failure).rejects.toThrow(ConfigError);
    await expect(failure).rejects.toThrow(pattern);
  });

  it('is run again for the next request', async () => {
    const { spec, folder } = plugin('broken');
    const credentials = execCredentials(spec, options());
    await expect(credentials.current()).rejects.toThrow(ConfigError);
    writeFileSync(join(folder, 'answer'), JSON.stringify(credential({ token: 'abc' })));
    expect(await credentials.current()).toEqual({ authorization: 'Bearer abc' });
  });
});

describe('exec in a kubeconfig', () => {
  it('runs a command relative to the kubeconfig and tells it about the cluster', async () => {
    const { folder, runs } = plugin(credential({ token: 'abc' }));
    const script = `#!${process.execPath}\nimport('${folder}/plugin.mjs');\n`;
    writeFileSync(join(folder, 'plugin'), script, { mode: 0o755 });
    const exec = { apiVersion: V1, interactiveMode: 'Never', command: './plugin', provideClusterInfo: true };
    const cluster = {
      'certificate-authority': 'ca.crt',
      'tls-server-name': 'api',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }],
    };
    writeFileSync(join(folder, 'ca.crt'), pem('ca.crt'));
    writeFileSync(
      join(folder, 'config'),
      JSON.stringify(kubeconfig({ cluster, user: { exec, as: 'jane' } })),
    );
    const config = await load(folder, { environment: process.env });
    expect(await config.credentials.current()).toEqual({
      authorization: 'Bearer abc',
      'impersonate-user': 'jane',
    });
    expect(runs()[0]?.info).toMatchObject({
      spec: {
        cluster: {
          server: 'https://api.test:6443',
          'tls-server-name': 'api',
          'certificate-authority-data': Buffer.from(pem('ca.crt')).toString('base64'),
          config: { audience: 'x' },
        },
      },
    });
  });
});
