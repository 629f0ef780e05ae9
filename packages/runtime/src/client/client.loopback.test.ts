/** The client over real connections: credentials, certificates and streams, end to end. */
import { writeFileSync } from 'node:fs';
import type { ServerHttp2Stream } from 'node:http2';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createRegistry } from '../metrics/index.ts';
import { metricValue } from '../testing/index.ts';
import type { Client } from './client.ts';
import { folderWith, kubeconfig, load } from './config/kubeconfig-files.test.support.ts';
import { createClient } from './create-client.ts';
import { ConnectionError } from './errors.ts';
import { configFor, eventually, h2Server, pem, testdataPath, wireTo } from './http/loopback.test.support.ts';
import { ConfigMap, Secret } from './kinds.ts';

const object = (name: string): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'a', uid: 'u', resourceVersion: '1' },
});

function send(stream: ServerHttp2Stream, status: number, body: object): void {
  stream.respond({ ':status': status, 'content-type': 'application/json' });
  stream.end(JSON.stringify(body));
}

function closing(client: Client): Client {
  onTestFinished(() => client.close());
  return client;
}

const key = { namespace: 'a', name: 'x' };
const cluster = (url: string): object => ({ server: url, 'certificate-authority': testdataPath('ca.crt') });

describe('credentials over a real connection', () => {
  it('a token that was rotated is picked up by the first 401', async () => {
    const server = await h2Server((stream, headers) =>
      headers.authorization === 'Bearer second'
        ? send(stream, 200, object('x'))
        : send(stream, 401, { kind: 'Status', code: 401, reason: 'Unauthorized' }),
    );
    const user = { tokenFile: 'token' };
    const folder = folderWith({ config: kubeconfig({ cluster: cluster(server.url), user }), token: 'first' });
    const clock = new VirtualClock();
    const config = await load(folder, { clock });
    await config.credentials.current();
    writeFileSync(join(folder, 'token'), 'second');
    const client = closing(createClient({ config, clock }));
    expect((await client.get(ConfigMap, key)).metadata.name).toBe('x');
    expect(server.paths).toHaveLength(2);
  });

  it('a certificate of a plugin is renewed by a 401, on a new connection', async () => {
    const server = await h2Server(
      (stream) => {
        const socket = stream.session?.socket as TLSSocket | undefined;
        if (socket?.getPeerCertificate().subject.CN === 'bob') send(stream, 200, object('bob'));
        else send(stream, 401, { kind: 'Status', code: 401, reason: 'Unauthorized' });
      },
      { ca: pem('ca.crt'), requestCert: true },
    );
    const certificate = (name: string): string =>
      JSON.stringify({
        kind: 'ExecCredential',
        apiVersion: 'client.authentication.k8s.io/v1',
        status: { clientCertificateData: pem(`${name}.crt`), clientKeyData: pem(`${name}.key`) },
      });
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      command: process.execPath,
      args: ['-p', 'fs.readFileSync(process.env.ANSWER, "utf8")'],
    };
    const folder = folderWith({ answer: certificate('client') });
    const user = { exec: { ...exec, env: [{ name: 'ANSWER', value: join(folder, 'answer') }] } };
    writeFileSync(join(folder, 'config'), JSON.stringify(kubeconfig({ cluster: cluster(server.url), user })));
    const config = await load(folder, { environment: process.env });
    await config.credentials.current();
    writeFileSync(join(folder, 'answer'), certificate('rotated-client'));
    const client = closing(createClient({ config }));
    expect((await client.get(ConfigMap, key)).metadata.name).toBe('bob');
    expect(server.sessions).toHaveLength(2);
  });
});

describe('streams over a real connection', () => {
  it('a list is decoded while it arrives, items are dropped as they come', async () => {
    const server = await h2Server((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('{"kind":"SecretList","metadata":{"resourceVersion":"5"},"items":[');
      for (let index = 0; index < 2000; index++) {
        stream.write(
          `${index ? ',' : ''}${JSON.stringify({ metadata: { name: `s${index}` }, data: { a: 'é'.repeat(2000) } })}`,
        );
      }
      stream.end(']}');
    });
    const client = closing(createClient({ config: configFor(server.url) }));
    let count = 0;
    const metadata = await client.listEach(Secret, ({ data }) => {
      if (data?.a?.length === 2000) count++;
    });
    expect(count).toBe(2000);
    expect(metadata.resourceVersion).toBe('5');
  });

  it('a watch ends with its signal, and the server notices', async () => {
    let closed = false;
    const server = await h2Server((stream) => {
      stream.respond({ ':status': 200 });
      stream.write(`${JSON.stringify({ type: 'ADDED', object: object('x') })}\n`);
      stream.on('close', () => {
        closed = true;
      });
    });
    const controller = new AbortController();
    const client = closing(createClient({ config: configFor(server.url) }));
    const names: string[] = [];
    const read = async (): Promise<void> => {
      for await (const event of await client.watch(ConfigMap, { signal: controller.signal })) {
        if (event.type !== 'BOOKMARK') names.push(event.object.metadata.name);
        controller.abort(new Error('enough'));
      }
    };
    await expect(read()).rejects.toThrow('enough');
    await eventually(() => closed);
    expect(names).toEqual(['x']);
  });

  it('a watch on a connection that is cut throws a ConnectionError, a get is sent again', async () => {
    const clock = new VirtualClock();
    const metrics = createRegistry();
    const server = await h2Server((stream, headers) => {
      if (headers[':path']?.includes('watch')) stream.respond({ ':status': 200 });
      else if (server.paths.length > 2) send(stream, 200, object('x'));
    });
    const wire = await wireTo(server.port);
    const client = closing(createClient({ config: configFor(wire.url), clock, metrics }));
    const watch = await client.watch(ConfigMap);
    const read = async (): Promise<void> => {
      for await (const _ of watch);
    };
    const lost = expect(read()).rejects.toThrow(ConnectionError);
    const got = client.get(ConfigMap, key);
    await eventually(() => server.paths.length === 2);
    wire.cut();
    await lost;
    await eventually(() => clock.pendingTimers > 1);
    await clock.advance(200);
    expect((await got).metadata.name).toBe('x');
    const host = `127.0.0.1:${wire.port}`;
    expect(metricValue(metrics, 'rest_client_requests_total', { code: '<error>', method: 'GET', host })).toBe(
      1,
    );
    expect(metricValue(metrics, 'rest_client_requests_total', { code: '200', method: 'GET', host })).toBe(2);
  });

  it('two clients of one config have connections of their own', async () => {
    const server = await h2Server((stream) => send(stream, 200, object('x')));
    const config = configFor(server.url);
    for (const client of [createClient({ config }), createClient({ config })].map(closing)) {
      await client.get(ConfigMap, key);
    }
    expect(server.sessions).toHaveLength(2);
  });
});
