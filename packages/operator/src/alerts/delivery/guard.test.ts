import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInternal, isPrivate } from './addresses.ts';
import type { DeliveryError } from './error.ts';
import { type GuardSettings, guardedLookup, refuseByUrl } from './guard.ts';

const GUARD: GuardSettings = { allowInternal: false, allowedHosts: [] };
const judge = (url: string, trusted: boolean, settings: Partial<GuardSettings> = {}): void =>
  refuseByUrl({ url: new URL(url), trusted }, { ...GUARD, ...settings });

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
  ])('%s is refused to everybody', (address) => {
    expect(isInternal(address)).toBe(true);
  });

  test.each([
    '10.96.0.1',
    '10.255.255.255',
    '172.16.0.9',
    '172.31.255.255',
    '192.168.1.20',
    '100.64.0.1',
    '198.18.0.1',
    'fd12::1',
    'fc00::1',
    'fec0::1',
    '::ffff:10.0.0.1',
    '::ffff:192.168.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '64:ff9b:1:ffff::10.0.0.1',
    '2002:0a00:1::',
    '2002:808:808::',
    '2001:0:1::1',
    '::10.0.0.1',
    '::ffff:0:10.0.0.1',
    '2001:db8::1',
  ])('%s is private: for the administrator alone', (address) => {
    expect(isPrivate(address)).toBe(true);
  });

  test.each([
    '128.0.0.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '2001:4860::8888',
    '::ffff:8.8.8.8',
  ])('%s is open to all', (address) => {
    expect(isInternal(address) || isPrivate(address)).toBe(false);
  });

  test('every loopback and link-local address is refused, also embedded in IPv6', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom('127', '169.254', '0'), byte, byte, byte, (range, a, b, c) => {
        const parts = [...range.split('.'), a, b, c].slice(0, 4).join('.');
        for (const clothes of ['', '::ffff:', '64:ff9b::', '::ffff:0:'])
          expect(isInternal(`${clothes}${parts}`)).toBe(true);
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
    'http://[::1]/x',
    'http://[::ffff:127.0.0.1]/x',
    'http://localhost/x',
    'http://LOCALHOST./x',
    'http://a.localhost/x',
    'http://①②⑦.0.0.1/x',
  ])(
    "%s is refused to tenants, and as the administrator's own URL it is a receiver beside the operator",
    (url) => {
      expect(() => judge(url, true)).not.toThrow();
      expect(() => judge(url, true, { allowedHosts: ['hooks.slack.com'] })).toThrow('--alert-allowed-hosts');
      expect(() => judge(url, false)).toThrow('--alert-allow-internal');
      expect(() => judge(url, false, { allowedHosts: [new URL(url).hostname] })).toThrow();
      expect(() => judge(url, false, { allowInternal: true })).not.toThrow();
    },
  );

  test.each([
    'http://0/x',
    'http://[::]/x',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/x',
    'http://[fe80::1]/x',
    'http://169.254.169.254/latest/meta-data',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://metadata/x',
  ])('%s is refused to everybody', (url) => {
    expect(() => judge(url, true)).toThrow('--alert-allow-internal');
    expect(() => judge(url, false, { allowedHosts: [new URL(url).hostname] })).toThrow();
    expect(() => judge(url, false, { allowInternal: true })).not.toThrow();
  });

  test.each([
    'http://chat.ops.svc.cluster.local/x',
    'http://chat.ops.svc/x',
    'http://chat/x',
    'http://vault.corp/x',
    'http://db.prod.internal./x',
    'http://10.0.0.7/x',
    'http://[fd12::1]/x',
    'http://[64:ff9b::a00:1]/x',
    'http://167772161/x',
  ])('%s is refused to tenants, unless its host is listed', (url) => {
    expect(() => judge(url, false)).toThrow('--alert-allowed-hosts');
    expect(() => judge(url, true)).not.toThrow();
    const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '');
    expect(() => judge(url, false, { allowedHosts: [host] })).not.toThrow();
  });

  test.each(['https://hooks.slack.com/x', 'https://localhost.example.test/x', 'https://8.8.8.8/x'])(
    '%s is open to all',
    (url) => {
      expect(() => judge(url, false)).not.toThrow();
    },
  );
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
    for (const trusted of [true, false])
      expect(() => judge(url, trusted, { allowedHosts: allowed })).not.toThrow();
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
    for (const trusted of [true, false])
      expect(() => judge(url, trusted, { allowedHosts: allowed })).toThrow('--alert-allowed-hosts');
  });

  test('that is empty allows all', () => {
    expect(() => judge('https://anywhere.test', false)).not.toThrow();
  });
});

describe('Names', () => {
  const look = (
    addresses: readonly string[],
    {
      all = true,
      trusted = false,
      ...settings
    }: Partial<GuardSettings> & Partial<Record<'all' | 'trusted', boolean>> = {},
  ) =>
    new Promise<unknown>((resolve) => {
      const target = { url: new URL('https://hooks.test/x'), trusted };
      const lookup = guardedLookup(target, { ...GUARD, ...settings }, (_, __, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
      );
      lookup?.('hooks.test', { all }, (error, found) => resolve(error ?? found));
    });

  test('are judged by the addresses that they resolve to', async () => {
    expect(await look(['8.8.8.8'], { all: false })).toBe('8.8.8.8');
    expect(await look(['8.8.8.8', '2606:4700::1111'])).toHaveLength(2);
    expect(String(await look(['127.0.0.1']))).toContain('--alert-allow-internal');
    expect(String(await look(['10.0.0.7']))).toContain('--alert-allowed-hosts');
  });

  test('may be private for the administrator, and where the host is listed', async () => {
    expect(await look(['10.0.0.7'], { all: false, trusted: true })).toBe('10.0.0.7');
    expect(await look(['10.0.0.7'], { all: false, allowedHosts: ['hooks.test'] })).toBe('10.0.0.7');
    expect(String(await look(['127.0.0.1'], { trusted: true }))).toContain('--alert-allow-internal');
    expect(String(await look(['169.254.169.254'], { allowedHosts: ['hooks.test'] }))).toContain(
      '--alert-allow-internal',
    );
  });

  test('one refused address among many is enough', async () => {
    expect(String(await look(['8.8.8.8', '169.254.169.254']))).toContain('--alert-allow-internal');
    expect(String(await look(['8.8.8.8', 'fd12::1'], { all: false }))).toContain('--alert-allowed-hosts');
  });

  test('that are refused look to the tenant like names that do not exist', async () => {
    const refused = (await look(['10.0.0.7'])) as DeliveryError;
    expect(refused.told).not.toMatch(/private|cluster|alert-allow/);
    expect(refused.retry).toBe(true);
  });

  test('without any address fail', async () => {
    expect(String(await look([]))).toContain('No address');
  });
});
