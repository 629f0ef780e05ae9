import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { guardedLookup, isRefusedAddress, refuseInternal, refuseUnlisted } from './guard.ts';

describe('Addresses', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:0.0.0.0',
    '64:ff9b::169.254.169.254',
    '64:ff9b::127.0.0.1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::',
    '::127.0.0.1',
    'not an address',
    '',
  ])('%s is refused', (address) => {
    expect(isRefusedAddress(address)).toBe(true);
  });

  test.each([
    '10.96.0.1',
    '172.16.0.9',
    '192.168.1.20',
    '100.64.0.1',
    '128.0.0.1',
    '8.8.8.8',
    '2606:4700::1111',
    'fd12::1',
  ])('%s is allowed: receivers live in clusters, too', (address) => {
    expect(isRefusedAddress(address)).toBe(false);
  });

  test('every address of loopback and of the link is refused, in IPv6 clothes too', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom('127', '169.254', '0'), byte, byte, byte, (range, a, b, c) => {
        const parts = [...range.split('.'), a, b, c].slice(0, 4).join('.');
        expect(isRefusedAddress(parts)).toBe(true);
        expect(isRefusedAddress(`::ffff:${parts}`)).toBe(true);
      }),
    );
  });
});

describe('URLs', () => {
  test.each([
    'http://127.0.0.1:8080/x',
    'http://2130706433/x',
    'http://0x7f.1/x',
    'http://0177.0.0.1/x',
    'http://127.1/x',
    'http://0/x',
    'http://[::1]/x',
    'http://[::ffff:127.0.0.1]/x',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/x',
    'http://localhost/x',
    'http://LOCALHOST./x',
    'http://a.localhost/x',
    'http://169.254.169.254/latest/meta-data',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://metadata/x',
    'http://①②⑦.0.0.1/x',
  ])('%s is refused', (url) => {
    expect(() => refuseInternal(new URL(url))).toThrow('--alert-allow-internal');
  });

  test.each([
    'https://hooks.slack.com/x',
    'http://chat.ops.svc.cluster.local/x',
    'http://10.0.0.7/x',
    'https://localhost.example.test/x',
  ])('%s is allowed', (url) => {
    expect(() => refuseInternal(new URL(url))).not.toThrow();
  });
});

describe('A list of allowed hosts', () => {
  const allowed = ['hooks.slack.com', '*.example.com', '10.0.0.7'];

  test.each([
    'https://hooks.slack.com/x',
    'https://HOOKS.slack.com./x',
    'https://a.example.com/x',
    'https://a.b.example.com/x',
    'http://10.0.0.7:8080/x',
  ])('has %s', (url) => {
    expect(() => refuseUnlisted(new URL(url), allowed)).not.toThrow();
  });

  test.each([
    'https://slack.com/x',
    'https://evil.hooks.slack.com/x',
    'https://hooks.slack.com.evil.test/x',
    'https://example.com/x',
    'https://badexample.com/x',
    'https://hooks.slack.com@evil.test/x',
    'http://10.0.0.70/x',
  ])('does not have %s', (url) => {
    expect(() => refuseUnlisted(new URL(url), allowed)).toThrow('--alert-allowed-hosts');
  });

  test('that is empty allows all', () => {
    expect(() => refuseUnlisted(new URL('https://anywhere.test'), [])).not.toThrow();
  });
});

describe('Names', () => {
  const look = (addresses: readonly string[], all: boolean) =>
    new Promise<unknown>((resolve) => {
      const lookup = guardedLookup((_, __, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
      );
      lookup('hooks.test', { all }, (error, found) => resolve(error ? error.message : found));
    });

  test('are judged by what they resolve to', async () => {
    expect(await look(['10.0.0.7'], false)).toBe('10.0.0.7');
    expect(await look(['10.0.0.7', '10.0.0.8'], true)).toHaveLength(2);
    expect(await look(['127.0.0.1'], false)).toContain('--alert-allow-internal');
  });

  test('one refused address among many is enough', async () => {
    expect(await look(['10.0.0.7', '169.254.169.254'], true)).toContain('--alert-allow-internal');
    expect(await look(['10.0.0.7', '::1'], false)).toContain('--alert-allow-internal');
  });

  test('without any address fail', async () => {
    expect(await look([], true)).toBe('No address');
  });
});
