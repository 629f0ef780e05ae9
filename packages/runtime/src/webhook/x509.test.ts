import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { issueAuthority, issueServing, type KeyedCertificate } from './x509.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2030, 5, 1, 12, 0, 0);
const validity = { notBefore: NOW - HOUR, notAfter: NOW + 24 * HOUR };

function issued(names: readonly string[], valid = validity, authorityValid = validity) {
  const authority = issueAuthority('test CA', authorityValid);
  const key = createPrivateKey(authority.key);
  const serving = issueServing({ certificate: authority.certificate, key }, names, valid);
  return {
    authority,
    serving,
    ca: new X509Certificate(authority.certificate),
    leaf: new X509Certificate(serving.certificate),
  };
}

test('the authority is a CA, signed by itself, that may sign certificates', () => {
  const { ca, authority } = issued(['a.example']);
  expect(ca.ca).toBe(true);
  expect(ca.subject).toBe('CN=test CA');
  expect(ca.issuer).toBe('CN=test CA');
  expect(ca.verify(ca.publicKey)).toBe(true);
  expect(ca.checkIssued(ca)).toBe(true);
  expect(ca.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
});

test('the serving certificate is signed by the authority, for servers only, and is no CA', () => {
  const { ca, leaf, serving } = issued(['a.example', 'b.example']);
  expect(leaf.ca).toBe(false);
  expect(leaf.checkIssued(ca)).toBe(true);
  expect(leaf.verify(ca.publicKey)).toBe(true);
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(leaf.checkPrivateKey(createPrivateKey(serving.key))).toBe(true);
});

test('it tells its authority from another one of the same name', () => {
  const { ca, leaf } = issued(['a.example']);
  const namesake = new X509Certificate(issueAuthority('test CA', validity).certificate);
  expect(leaf.checkIssued(ca)).toBe(true);
  expect(leaf.checkIssued(namesake)).toBe(false);
});

test('it is valid for its names and addresses, and for no other', () => {
  const { leaf } = issued(['web.team.svc', '127.0.0.1', '::1', '2001:db8::ff00:42']);
  expect(leaf.subjectAltName).toBe(
    'DNS:web.team.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:FF00:42',
  );
  expect(leaf.checkHost('web.team.svc')).toBe('web.team.svc');
  expect(leaf.checkHost('other.team.svc')).toBeUndefined();
  expect(leaf.checkIP('::1')).toBe('::1');
});

test('validity is kept to the second, also beyond 2049', () => {
  const far = { notBefore: NOW, notAfter: Date.UTC(2061, 1, 3, 4, 5, 6) };
  const { ca } = issued(['a.example'], validity, far);
  expect(Date.parse(ca.validFrom)).toBe(NOW);
  expect(Date.parse(ca.validTo)).toBe(far.notAfter);
});

test('serial numbers are positive and differ', () => {
  const serials = Array.from({ length: 20 }, () => issued(['a.example']).leaf.serialNumber);
  expect(new Set(serials).size).toBe(20);
  for (const serial of serials) {
    expect(serial).toHaveLength(32);
    expect(Number.parseInt(serial.slice(0, 2), 16)).toBeLessThan(0x80);
  }
});

test('a certificate needs a name', () => {
  expect(() => issued([])).toThrow('at least one DNS name');
});

test('a name that is longer than a common name may be is kept whole among the alternative names', () => {
  const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.svc`;
  expect(issued([name]).leaf.checkHost(name)).toBe(name);
});

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const closable of open.splice(0)) closable.close();
});

async function serve({ certificate, key }: KeyedCertificate): Promise<number> {
  const server: Server = createServer({ cert: certificate, key });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function handshake(port: number, ca: string, servername: string): Promise<string> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca, servername }, () => {
      resolve(socket.authorized ? 'authorized' : String(socket.authorizationError));
      socket.destroy();
    });
    socket.on('error', (error) => resolve((error as NodeJS.ErrnoException).code ?? error.message));
  });
}

const today = { notBefore: Date.now() - HOUR, notAfter: Date.now() + HOUR };

test('a TLS client that trusts the authority accepts the server, under its name only', async () => {
  const { authority, serving } = issued(['web.team.svc'], today, today);
  const port = await serve(serving);
  expect(await handshake(port, authority.certificate, 'web.team.svc')).toBe('authorized');
  expect(await handshake(port, authority.certificate, 'other.team.svc')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('a TLS client refuses another authority of the same name, and a certificate that has expired', async () => {
  const { serving, authority } = issued(['web.team.svc'], today, today);
  const other = issueAuthority('test CA', today);
  expect(await handshake(await serve(serving), other.certificate, 'web.team.svc')).not.toBe('authorized');
  const past = { notBefore: Date.now() - 2 * HOUR, notAfter: Date.now() - HOUR };
  const key = createPrivateKey(authority.key);
  const expired = issueServing({ certificate: authority.certificate, key }, ['web.team.svc'], past);
  expect(await handshake(await serve(expired), authority.certificate, 'web.team.svc')).toBe(
    'CERT_HAS_EXPIRED',
  );
});
