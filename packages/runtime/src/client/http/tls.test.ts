import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../clock/clock.ts';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { FileContent } from '../auth/file-content.ts';
import { ConfigError, ConnectionError } from '../errors.ts';
import { configFor, get, h2Server, pem, testdataPath, text, transportFor } from './loopback.test.support.ts';

const requireClientCertificate = { ca: pem('ca.crt'), requestCert: true, rejectUnauthorized: false };

/** A server that answers with the name in the client's certificate. */
async function whoAmI(): Promise<Awaited<ReturnType<typeof h2Server>>> {
  return h2Server((stream) => {
    const socket = stream.session?.socket as TLSSocket;
    stream.respond({ ':status': 200 });
    stream.end(socket.authorized ? socket.getPeerCertificate().subject.CN : 'nobody');
  }, requireClientCertificate);
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe('the server certificate', () => {
  it('is refused when another CA signed it, and the message says which setting to look at', async () => {
    const server = await h2Server(() => {}, { cert: pem('other-server.crt'), key: pem('other-server.key') });
    const failure = await transportFor(server)
      .request(get('/'))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect((failure as ConnectionError).notSent).toBe(true);
    expect((failure as Error).message).toMatch(/not signed by the CA of the test, set certificate-authority/);
  });

  it('is refused when it is for another name, and the message says which setting to look at', async () => {
    const server = await h2Server(() => {}, {
      cert: pem('misnamed-server.crt'),
      key: pem('misnamed-server.key'),
    });
    await expect(transportFor(server).request(get('/'))).rejects.toThrow(/set tls-server-name/);
  });

  it('is accepted for another name with tls-server-name', async () => {
    const asked: unknown[] = [];
    const server = await h2Server(
      (stream) => {
        const socket = stream.session?.socket as (TLSSocket & { servername: unknown }) | undefined;
        asked.push(socket?.servername);
        stream.respond({ ':status': 204 }, { endStream: true });
      },
      { cert: pem('misnamed-server.crt'), key: pem('misnamed-server.key') },
    );
    const config = configFor(server.url, { ca: pem('ca.crt'), serverName: 'elsewhere.test' });
    expect((await transportFor(config).request(get('/'))).status).toBe(204);
    expect(asked).toEqual(['elsewhere.test']);
  });

  it('is held against a tls-server-name that is an address', async () => {
    const server = await h2Server((stream) => stream.respond({ ':status': 204 }, { endStream: true }));
    const wrong = configFor(server.url, { ca: pem('ca.crt'), serverName: '10.9.8.7' });
    await expect(transportFor(wrong).request(get('/'))).rejects.toThrow(/certificate is for another name/);
    const right = configFor(server.url, { ca: pem('ca.crt'), serverName: '127.0.0.1' });
    expect((await transportFor(right).request(get('/'))).status).toBe(204);
  });

  it('is not looked at with insecure-skip-tls-verify', async () => {
    const server = await h2Server((stream) => stream.respond({ ':status': 204 }, { endStream: true }));
    const config = configFor(server.url, { insecure: true });
    expect((await transportFor(config).request(get('/'))).status).toBe(204);
  });

  it('of a replaced CA is accepted once the CA file has been replaced too', async () => {
    const clock = new VirtualClock();
    const folder = await temporaryFolder();
    const caFile = join(folder, 'ca.crt');
    await copyFile(testdataPath('ca.crt'), caFile);
    const server = await h2Server((stream) => stream.respond({ ':status': 204 }, { endStream: true }), {
      cert: pem('other-server.crt'),
      key: pem('other-server.key'),
    });
    const transport = transportFor(configFor(server.url, { ca: new FileContent(caFile, 'CA file', clock) }));
    await expect(transport.request(get('/'))).rejects.toThrow(ConnectionError);
    await copyFile(testdataPath('other-ca.crt'), caFile);
    await clock.advance(60_000);
    expect((await transport.request(get('/'))).status).toBe(204);
  });
});

describe('a client certificate', () => {
  const alice = { cert: pem('client.crt'), key: pem('client.key') };

  it('is shown to the server', async () => {
    const server = await whoAmI();
    const config = configFor(server.url, { ca: pem('ca.crt'), ...alice });
    expect(await text(await transportFor(config).request(get('/')))).toBe('alice');
  });

  it('that was replaced leads to a new connection for new requests', async () => {
    const clock = new VirtualClock();
    const folder = await temporaryFolder();
    const file = (name: string): FileContent =>
      new FileContent(join(folder, name), 'client certificate', clock);
    await copyFile(testdataPath('client.crt'), join(folder, 'tls.crt'));
    await copyFile(testdataPath('client.key'), join(folder, 'tls.key'));
    const server = await whoAmI();
    const transport = transportFor(
      configFor(server.url, { ca: pem('ca.crt'), cert: file('tls.crt'), key: file('tls.key') }),
    );
    expect(await text(await transport.request(get('/')))).toBe('alice');
    await copyFile(testdataPath('rotated-client.crt'), join(folder, 'tls.crt'));
    await copyFile(testdataPath('rotated-client.key'), join(folder, 'tls.key'));
    expect(await text(await transport.request(get('/')))).toBe('alice');
    await clock.advance(60_000);
    expect(await text(await transport.request(get('/')))).toBe('bob');
    expect(server.sessions).toHaveLength(2);
  });

  it('with the key of another is a ConfigError', async () => {
    const server = await whoAmI();
    const config = configFor(server.url, { cert: pem('client.crt'), key: pem('rotated-client.key') });
    const failure = transportFor(config).request(get('/'));
    await expect(failure).rejects.toThrow(ConfigError);
    await expect(failure).rejects.toThrow(
      /check that each is a complete PEM text and that key and certificate belong/,
    );
  });

  it('that the server refuses leads to a message about the certificate', async () => {
    const server = await h2Server(() => {}, {
      ca: pem('other-ca.crt'),
      requestCert: true,
      rejectUnauthorized: true,
    });
    const config = configFor(server.url, { ca: pem('ca.crt'), ...alice });
    await expect(transportFor(config).request(get('/'))).rejects.toThrow(ConnectionError);
  });
});

describe('a CA file', () => {
  it('that is missing is a ConfigError with its path', async () => {
    const server = await h2Server(() => {});
    const config = configFor(server.url, { ca: new FileContent('/nowhere/ca.crt', 'CA file', systemClock) });
    const failure = transportFor(config).request(get('/'));
    await expect(failure).rejects.toThrow(ConfigError);
    await expect(failure).rejects.toThrow(/Cannot read the CA file \/nowhere\/ca.crt: there is no such file/);
  });
});
