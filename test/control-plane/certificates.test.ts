import { X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { send } from './api.ts';
import { createAuthority } from './certificates.ts';

const authority = createAuthority('test authority');
const own = new X509Certificate(authority.certificate);
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('the authority', () => {
  test('signs itself and may sign others', () => {
    expect(own.ca).toBe(true);
    expect(own.verify(own.publicKey)).toBe(true);
    expect(own.subject).toBe('CN=test authority');
  });

  test('issues each certificate with another serial', () => {
    const serials = Array.from({ length: 20 }, () => serialOf(authority.issueClient('a').certificate));
    expect(new Set(serials).size).toBe(20);
  });
});

describe("a server's certificate", () => {
  const issued = authority.issueServer(['127.0.0.1', 'localhost', 'kubernetes.default.svc']);
  const certificate = new X509Certificate(issued.certificate);

  test('is signed by the authority and is none itself', () => {
    expect(certificate.verify(own.publicKey)).toBe(true);
    expect(certificate.checkIssued(own)).toBe(true);
    expect(certificate.ca).toBe(false);
  });

  test('is valid for the names and addresses given and for no other', () => {
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc');
    expect(certificate.checkIP('127.0.0.2')).toBeUndefined();
    expect(certificate.checkHost('example.org')).toBeUndefined();
  });

  test('convinces a client that knows the authority', async () => {
    const url = await serve(
      createServer({ cert: issued.certificate, key: issued.key }, (_, answer) => answer.end('hello')),
    );
    expect(await send(url, { authority: authority.certificate })).toEqual({ status: 200, body: 'hello' });
  });

  test('does not convince a client that knows another authority of the same name', async () => {
    const url = await serve(createServer({ cert: issued.certificate, key: issued.key }));
    const other = createAuthority('test authority').certificate;
    await expect(send(url, { authority: other })).rejects.toThrow(/signature|certificate/);
  });

  test('can have expired', async () => {
    const notAfter = new Date(Date.now() - 60_000);
    const expired = authority.issueServer(['127.0.0.1'], { notAfter });
    const url = await serve(createServer({ cert: expired.certificate, key: expired.key }));
    await expect(send(url, { authority: authority.certificate })).rejects.toThrow('certificate has expired');
  });
});

describe("a client's certificate", () => {
  const issued = authority.issueClient('alice', ['team-a', 'team-b']);

  test('names the user and the groups as Kubernetes reads them', () => {
    const { subject } = new X509Certificate(issued.certificate);
    expect(subject.split('\n')).toEqual(['O=team-a', 'O=team-b', 'CN=alice']);
  });

  test('is accepted by a server that trusts the authority', async () => {
    const serving = authority.issueServer(['127.0.0.1']);
    const url = await serve(
      createServer(
        { cert: serving.certificate, key: serving.key, ca: authority.certificate, requestCert: true },
        (request, answer) => {
          const socket = request.socket as TLSSocket;
          answer.end(`${socket.authorized} ${socket.getPeerCertificate().subject.CN}`);
        },
      ),
    );
    const { request } = await import('node:https');
    const body = await new Promise<string>((resolve, reject) => {
      const options = {
        ca: authority.certificate,
        cert: issued.certificate,
        key: issued.key,
        agent: false,
      } as const;
      request(url, options, (response) => {
        response.setEncoding('utf8').once('data', resolve);
      })
        .once('error', reject)
        .end();
    });
    expect(body).toBe('true alice');
  });

  test('has a validity of two-digit years before 2050 and of four-digit years from then on', () => {
    const notBefore = new Date('2049-12-31T23:59:59Z');
    const notAfter = new Date('2050-01-01T00:00:00Z');
    const { validFrom, validTo } = new X509Certificate(
      authority.issueClient('a', [], { notBefore, notAfter }).certificate,
    );
    expect(new Date(validFrom)).toEqual(notBefore);
    expect(new Date(validTo)).toEqual(notAfter);
  });
});

function serialOf(pem: string): string {
  return new X509Certificate(pem).serialNumber;
}
