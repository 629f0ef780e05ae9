import { describe, expect, it } from 'vitest';
import { ConfigError } from '../errors.ts';
import { type ExecSpec, parseExecResult } from './exec-credential.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const spec: ExecSpec = {
  apiVersion,
  command: 'plugin',
  args: [],
  env: new Map(),
  interactiveMode: 'Never',
  owner: 'user "u" of the test',
};
const credential = (status: object, version = apiVersion): object => ({
  kind: 'ExecCredential',
  apiVersion: version,
  status,
});

describe('the output of a credential plugin', () => {
  it('is a token, a certificate with its key, or both, and when they end', () => {
    const status = {
      token: 'abc',
      clientCertificateData: 'cert',
      clientKeyData: 'key',
      expirationTimestamp: '2030-01-01T00:00:00Z',
    };
    expect(parseExecResult(JSON.stringify(credential(status)), spec)).toEqual({
      headers: { authorization: 'Bearer abc' },
      certificate: { cert: 'cert', key: 'key' },
      expiresAt: Date.UTC(2030, 0, 1),
    });
  });

  const failures: [string, string | object, RegExp][] = [
    ['prints no JSON', 'hunter2', /did not print JSON: run it by hand/],
    ['prints something else', { kind: 'Pod' }, /printed no ExecCredential/],
    [
      'answers in another version',
      credential({ token: 'a' }, 'x/v1'),
      /answered with apiVersion x\/v1 although client.authentication.k8s.io\/v1 is configured/,
    ],
    ['gives nothing', credential({}), /gave neither a token nor a client certificate/],
    [
      'gives half a certificate',
      credential({ clientCertificateData: 'x' }),
      /gave a client certificate without its key/,
    ],
    [
      'gives a broken time',
      credential({ token: 'a', expirationTimestamp: 'soon' }),
      /gave an expirationTimestamp that is no time/,
    ],
    ['says nothing about its status', { kind: 'ExecCredential', apiVersion }, /without a status/],
  ];

  it.each(failures)('is refused when it %s', (_, answer, pattern) => {
    const parse = (): unknown =>
      parseExecResult(typeof answer === 'string' ? answer : JSON.stringify(answer), spec);
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(pattern);
    expect(parse).toThrow(/^The credential plugin plugin of user "u" of the test .*: run it by hand/);
    expect(parse).not.toThrow(/hunter2/);
  });
});
