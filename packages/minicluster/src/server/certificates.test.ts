import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CertificateAuthority } from './certificates.ts';

const NOW = Date.UTC(2030, 5, 1);
const authority = new CertificateAuthority(NOW);
const ca = new X509Certificate(authority.certificate);

describe('the authority', () => {
  test('signs itself, and may sign others', () => {
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(ca.subject).toBe('CN=minicluster-ca');
  });

  test('two authorities are not the same', () => {
    const other = new X509Certificate(new CertificateAuthority(NOW).certificate);
    expect(ca.verify(other.publicKey)).toBe(false);
  });
});

describe('a server certificate', () => {
  const { certificate, key } = authority.serverCertificate(NOW, [
    'localhost',
    '127.0.0.1',
    '::1',
    'fe80::1:2',
  ]);
  const leaf = new X509Certificate(certificate);

  test('is signed by the authority and is none itself', () => {
    expect(leaf.checkIssued(ca)).toBe(true);
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.ca).toBe(false);
  });

  test('names hosts and addresses', () => {
    expect(leaf.checkHost('localhost')).toBe('localhost');
    expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(leaf.checkIP('::1')).toBe('::1');
    expect(leaf.checkIP('fe80::1:2')).toBe('fe80::1:2');
    expect(leaf.checkHost('example.com')).toBeUndefined();
  });

  test('is valid for a year from yesterday on', () => {
    expect(new Date(leaf.validFrom).getTime()).toBe(NOW - 24 * 3_600_000);
    expect(new Date(leaf.validTo).getTime()).toBe(NOW + 365 * 24 * 3_600_000);
  });

  test('belongs to its key', () => {
    expect(key).toContain('BEGIN PRIVATE KEY');
  });
});

test('a client certificate names the user and the groups', () => {
  const { certificate } = authority.clientCertificate(NOW, 'alice', ['one', 'two']);
  expect(new X509Certificate(certificate).subject).toBe('O=one\nO=two\nCN=alice');
});

test('certificates that end after 2049 write their year in full', () => {
  const late = new CertificateAuthority(Date.UTC(2045, 0, 1));
  expect(new Date(new X509Certificate(late.certificate).validTo).getUTCFullYear()).toBe(2054);
});
