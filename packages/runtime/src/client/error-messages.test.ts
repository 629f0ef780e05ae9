/** Error messages: each names what was tried, what happened and what to do. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Client } from './client.ts';
import type { ClusterConfig } from './config/cluster-config.ts';
import { folderWith, kubeconfig, load } from './config/kubeconfig-files.test.support.ts';
import { type ClientOptions, createClient } from './create-client.ts';
import * as errors from './errors.ts';
import { configFor, h2Server, pem } from './http/loopback.test.support.ts';
import { Deployment, Secret } from './kinds.ts';
import { memoryTransport } from './memory-transport.test.support.ts';
import type { ResourceType } from './resource.ts';

const Widget: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

function client(options: ClientOptions): Client {
  const made = createClient({ retry: false, ...options });
  onTestFinished(() => made.close());
  return made;
}

function answering(status: number, body: string | object): Client {
  return client({ transport: memoryTransport([{ status, body }]) });
}

const status = (code: number, reason: string, message: string): object => ({
  kind: 'Status',
  code,
  reason,
  message,
});

async function fails(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (error: Error) => error,
  );
}

describe('answers of the server', () => {
  const table: [
    string,
    number,
    string | object,
    (client: Client) => Promise<unknown>,
    new (...args: never[]) => Error,
    string,
  ][] = [
    [
      'an expired token',
      401,
      status(401, 'Unauthorized', 'Unauthorized'),
      (c) => c.list(Secret),
      errors.UnauthorizedError,
      'list secrets: Unauthorized (401 Unauthorized): the credentials of this client are not accepted, log in again or renew the token or certificate',
    ],
    [
      'a forbidden list',
      403,
      status(
        403,
        'Forbidden',
        'secrets is forbidden: User "me" cannot list resource "secrets" in API group "" in the namespace "a"',
      ),
      (c) => c.list(Secret, { namespace: 'a' }),
      errors.ForbiddenError,
      'list secrets in namespace "a": secrets is forbidden: User "me" cannot list resource "secrets" in API group "" in the namespace "a" (403 Forbidden): give this user the verb list on secrets by a Role or ClusterRole and its binding',
    ],
    [
      'a forbidden apply',
      403,
      status(403, 'Forbidden', 'no'),
      (c) => c.apply(Deployment, { metadata: { namespace: 'a', name: 'x' } }, { fieldManager: 'm' }),
      errors.ForbiddenError,
      'apply deployments.apps "a/x": no (403 Forbidden): give this user the verb patch on deployments.apps by a Role or ClusterRole and its binding',
    ],
    [
      'a forbidden status',
      403,
      status(403, 'Forbidden', 'no'),
      (c) =>
        c.patch(
          Deployment,
          { namespace: 'a', name: 'x' },
          { type: 'merge', body: {} },
          { subresource: 'status' },
        ),
      errors.ForbiddenError,
      'patch deployments.apps/status "a/x": no (403 Forbidden): give this user the verb patch on deployments.apps/status by a Role or ClusterRole and its binding',
    ],
    [
      'a missing CRD',
      404,
      '404 page not found\n',
      (c) => c.watch(Widget),
      errors.NotFoundError,
      'watch widgets.example.com: the server could not find the requested resource (404 NotFound): widgets.example.com are not served in example.com/v1, install their CustomResourceDefinition or check group and version',
    ],
    [
      'a missing object',
      404,
      status(404, 'NotFound', 'secrets "x" not found'),
      (c) => c.get(Secret, { namespace: 'a', name: 'x' }),
      errors.NotFoundError,
      'get secrets "a/x": secrets "x" not found (404 NotFound)',
    ],
    [
      'a page of a proxy',
      502,
      '<html>\n  <h1>Bad   Gateway</h1>\n</html>',
      (c) => c.list(Secret),
      errors.ServiceUnavailableError,
      'list secrets: <html> <h1>Bad Gateway</h1> </html> (502 Unknown)',
    ],
    [
      'no reason at all',
      500,
      '',
      (c) => c.list(Secret),
      errors.InternalServerError,
      'list secrets: the server gave no reason (500 Unknown)',
    ],
    [
      'a login page instead of a list',
      200,
      '<html>Please log in</html>',
      (c) => c.list(Secret),
      errors.DecodeError,
      'The list is not JSON (26 characters): look for a proxy that changes or cuts answers',
    ],
  ];

  it.each(table)('%s', async (_, code, body, call, type, message) => {
    const error = await fails(call(answering(code, body)));
    expect(error.message).toBe(message);
    expect(error).toBeInstanceOf(type);
  });

  it('a truncated watch line', async () => {
    const body = '{"type":"ADDED","object":{"metadata":{}}}\n{"type":"MODI';
    const watch = await answering(200, body).watch(Secret);
    const read = async (): Promise<void> => {
      for await (const _ of watch);
    };
    const error = await fails(read());
    expect(error).toBeInstanceOf(errors.DecodeError);
    expect(error.message).toBe(
      'watch secrets: the server ended in the middle of a line (13 characters): watch again from the last known version, and look for a proxy that cuts or changes answers if this repeats',
    );
  });
});

describe('connections', () => {
  const connect = async (config: ClusterConfig): Promise<Error> => fails(client({ config }).list(Secret));

  it('to a server that is not there', async () => {
    const folder = folderWith({ config: kubeconfig({ cluster: { server: 'https://127.0.0.1:1' } }) });
    const error = await connect(await load(folder));
    expect(error).toBeInstanceOf(errors.ConnectionError);
    const source = `context "dev" of ${join(folder, 'config')}`;
    expect(error.message).toBe(
      `Cannot connect to https://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1: check that the API server runs and can be reached from here, and the server address in ${source}`,
    );
  });

  it('to a server of another CA', async () => {
    const server = await h2Server(() => {}, { cert: pem('other-server.crt'), key: pem('other-server.key') });
    const error = await connect(configFor(server.url));
    expect(error.message).toMatch(
      /^Cannot connect to https:\S+: unable to verify the first certificate.* \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\): the server's certificate is not signed by the CA of the test, set certificate-authority\(-data\) to the CA of this server$/,
    );
  });

  it('to a server with another name', async () => {
    const server = await h2Server(() => {}, {
      cert: pem('misnamed-server.crt'),
      key: pem('misnamed-server.key'),
    });
    const error = await connect(configFor(server.url));
    expect(error.message).toMatch(
      /its certificate is for another name, correct the server address in the test or set tls-server-name$/,
    );
  });

  it('to a server that refuses our certificate', async () => {
    const server = await h2Server(() => {}, {
      ca: pem('other-ca.crt'),
      requestCert: true,
      rejectUnauthorized: true,
    });
    const tls = { ca: pem('ca.crt'), cert: pem('client.crt'), key: pem('client.key') };
    const error = await connect(configFor(server.url, tls));
    expect(error).toBeInstanceOf(errors.ConnectionError);
    expect(error.message).toMatch(/check the client certificate of the test \(expired, or of another CA\)$/);
  });
});

describe('all messages', () => {
  it('name the class of the error, for logs', () => {
    for (const [name, type] of Object.entries(errors)) {
      if (typeof type !== 'function' || !name.endsWith('Error')) continue;
      const error = new (type as new (argument: object) => Error)({});
      expect(error.name).toBe(name);
    }
  });
});
