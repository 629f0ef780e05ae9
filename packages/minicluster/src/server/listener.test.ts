import { request as httpRequest } from 'node:http';
import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect as connectSocket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Minicluster, type MiniclusterOptions, startMinicluster } from '../minicluster.ts';
import { CertificateAuthority } from './certificates.ts';

let cluster: Minicluster;

const start = async (options: MiniclusterOptions = {}): Promise<void> => {
  cluster = await startMinicluster({ workloads: false, listen: {}, ...options });
};

afterEach(async () => {
  await cluster.stop();
});

interface Reply {
  status: number;
  text: string;
  headers: Record<string, unknown>;
}

function send(
  path: string,
  options: { method?: string; body?: string; headers?: object; key?: string; cert?: string } = {},
) {
  const {
    method = 'GET',
    body,
    headers = { authorization: `Bearer ${cluster.adminToken}` },
    key,
    cert,
  } = options;
  const url = new URL(path, cluster.url);
  const make = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise<Reply>((resolve, reject) => {
    const outgoing = make(
      url,
      { method, headers: { ...headers }, ca: cluster.ca, ...(key && cert && { key, cert }) },
      (incoming) => {
        let text = '';
        incoming.on('data', (chunk) => {
          text += chunk;
        });
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, text, headers: incoming.headers }),
        );
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

describe('over HTTPS', () => {
  beforeEach(() => start());

  test('the certificate is checked by its authority, and requests are answered', async () => {
    const { status, text, headers } = await send('/version');
    expect(status).toBe(200);
    expect(JSON.parse(text).major).toBe('1');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    await expect(
      new Promise((_, reject) => httpsRequest(`${cluster.url}/version`).on('error', reject).end()),
    ).rejects.toThrow(/certificate/);
  });

  test('writes arrive whole', async () => {
    const value = 'ü'.repeat(100_000);
    const body = JSON.stringify({ metadata: { name: 'a' }, data: { value } });
    const headers = { authorization: `Bearer ${cluster.adminToken}`, 'content-type': 'application/json' };
    const { status } = await send('/api/v1/namespaces/default/configmaps', { method: 'POST', body, headers });
    expect(status).toBe(201);
    expect(cluster.store.get('configmaps', 'default/a')?.data).toEqual({ value });
  });

  test('a body beyond all measure is refused', async () => {
    const body = JSON.stringify({ metadata: { name: 'a' }, data: { value: 'x'.repeat(4_000_000) } });
    const headers = { authorization: `Bearer ${cluster.adminToken}`, 'content-type': 'application/json' };
    const { status, text } = await send('/api/v1/namespaces/default/configmaps', {
      method: 'POST',
      body,
      headers,
    });
    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject({ message: 'Request entity too large: limit is 3145728' });
  });

  test('HTTP/2 serves requests and watches over one connection', async () => {
    const session = connect(`${cluster.url}`, { ca: `${cluster.ca}` });
    try {
      const open = (path: string) =>
        session.request({ ':path': path, authorization: `Bearer ${cluster.adminToken}` });
      const watch = open('/api/v1/namespaces/default/configmaps?watch=1');
      const line = new Promise<string>((resolve) => watch.once('data', (chunk) => resolve(String(chunk))));
      const status = await new Promise((resolve) =>
        watch.on('response', (headers) => resolve(headers[':status'])),
      );
      expect(status).toBe(200);
      cluster.api.create(
        { group: '', plural: 'configmaps' },
        { metadata: { name: 'a', namespace: 'default' } },
      );
      expect(JSON.parse(await line)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      watch.close();
      const version = open('/version');
      let text = '';
      for await (const chunk of version) text += chunk;
      expect(JSON.parse(text).minor).toBe('36');
      await expect.poll(() => cluster.replica.watchers).toBe(0);
    } finally {
      session.destroy();
    }
  });

  test('a certificate of the authority is an identity', async () => {
    const { certificate, key } = cluster.clientCertificate('alice', ['system:masters']);
    const { text } = await send('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
      cert: certificate,
      key,
    });
    expect(JSON.parse(text).status.userInfo).toMatchObject({
      username: 'alice',
      groups: ['system:masters', 'system:authenticated'],
    });
  });

  test('a certificate of somebody else is none', async () => {
    const { certificate, key } = new CertificateAuthority(Date.now()).clientCertificate(
      Date.now(),
      'alice',
      [],
    );
    expect((await send('/api', { headers: {}, cert: certificate, key })).status).toBe(401);
  });

  test('without credentials it is a 401', async () => {
    expect((await send('/api', { headers: {} })).status).toBe(401);
  });
});

describe('over plain HTTP', () => {
  beforeEach(() => start({ listen: { tls: false } }));

  test('requests are answered', async () => {
    expect(cluster.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await send('/version')).status).toBe(200);
    expect(cluster.kubeconfig()).not.toContain('certificate-authority-data');
  });

  test('HEAD has headers and no body', async () => {
    const { status, text } = await send('/version', { method: 'HEAD' });
    expect({ status, text }).toEqual({ status: 200, text: '' });
  });

  test('a client that disconnects in mid-request affects no other', async () => {
    const socket = connectSocket(Number(new URL(`${cluster.url}`).port), '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    socket.write(
      'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"meta',
    );
    socket.destroy();
    expect((await send('/version')).status).toBe(200);
  });

  test('bytes that are no HTTP affect no other connection', async () => {
    const socket = connectSocket(Number(new URL(`${cluster.url}`).port), '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(Buffer.from([0, 1, 2, 3, 255, 254, 13, 10, 13, 10]));
    await closed;
    expect((await send('/version')).status).toBe(200);
  });

  test('a watch ends with the server', async () => {
    const ended = new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${cluster.adminToken}` };
      const outgoing = httpRequest(`${cluster.url}/api/v1/namespaces?watch=1`, { headers }, (incoming) => {
        incoming.resume();
        incoming.on('end', () => resolve('end'));
        incoming.on('error', () => resolve('error'));
        incoming.once('data', () => void cluster.stop());
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
    expect(['end', 'error']).toContain(await ended);
    expect(cluster.replica.watchers).toBe(0);
  });
});

test('a port that is taken is an error, not a crash', async () => {
  await start({ listen: { tls: false } });
  const port = Number(new URL(`${cluster.url}`).port);
  await expect(startMinicluster({ workloads: false, listen: { port, tls: false } })).rejects.toThrow(
    /EADDRINUSE/,
  );
});
