import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { ForbiddenError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { KubernetesObject } from '../model/types.ts';
import { MemoryClient } from '../objects/memory-client.test.support.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { type WebhookConfiguration, webhookConfigurations } from './ca-injection.ts';
import { type ManagedCertificatesOptions, managedCertificates } from './managed-certificates.ts';

interface Secret extends KubernetesObject {
  data?: Record<string, string>;
}
const SECRETS: ResourceType<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};
const SECRET = { namespace: 'team', name: 'web-cert' };
const CONFIGURATION = { kind: 'ValidatingWebhookConfiguration', name: 'web' } as const;
const CONFIGURATIONS = webhookConfigurations(CONFIGURATION.kind);
const DAY = 86_400_000;

function cluster() {
  const server = new MemoryClient();
  const clock = new VirtualClock();
  const webhooks = ['a.example.com', 'b.example.com'].map((name) => ({
    name,
    clientConfig: { service: {} },
  }));
  server.seed<WebhookConfiguration>(CONFIGURATIONS, { metadata: { name: 'web' }, webhooks });
  const decode = (name: string) =>
    Buffer.from(server.peek(SECRETS, SECRET)?.data?.[name] ?? '', 'base64').toString();
  return {
    server,
    clock,
    authority: () => decode('ca.crt'),
    stored: () => decode('tls.crt'),
    trusted: () =>
      server
        .peek(CONFIGURATIONS, { name: 'web' })
        ?.webhooks?.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle ?? '', 'base64').toString()),
  };
}

function replica(stage: ReturnType<typeof cluster>, options: Partial<ManagedCertificatesOptions> = {}) {
  const stop = new AbortController();
  const log = createCapturingLogger();
  const source = managedCertificates({
    client: stage.server,
    clock: stage.clock,
    logger: log.logger,
    secret: SECRET,
    service: { namespace: 'team', name: 'web' },
    configurations: [CONFIGURATION],
    ...options,
  });
  const served: string[] = [];
  const trustedThen: (string[] | undefined)[] = [];
  const serve = (cert: string): void => {
    served.push(cert);
    trustedThen.push(stage.trusted());
  };
  return {
    source,
    served,
    /** The CAs in the configuration at the moment of each change. */
    trustedThen,
    stop,
    log,
    start: async () => {
      const { cert } = await source.first(stop.signal);
      serve(cert);
      void source.watch((pair) => serve(pair.cert), stop.signal);
    },
  };
}

test('the first replica makes a CA and a certificate for the Service, and has it trusted before it serves', async () => {
  const stage = cluster();
  const { source, stop } = replica(stage);
  const { cert, key } = await source.first(stop.signal);
  const leaf = new X509Certificate(cert);
  expect(leaf.subjectAltName).toBe('DNS:web.team.svc, DNS:web.team, DNS:web, DNS:web.team.svc.cluster.local');
  expect(leaf.verify(new X509Certificate(stage.authority()).publicKey)).toBe(true);
  expect(key).toContain('PRIVATE KEY');
  expect(stage.server.verbs()).toEqual(['get', 'create', 'get', 'patch']);
  expect(stage.trusted()).toEqual([stage.authority(), stage.authority()]);
});

test('the CA is patched into the webhooks by index and name, and nothing else is touched', async () => {
  const stage = cluster();
  const { source, stop } = replica(stage, {
    configurations: [{ ...CONFIGURATION, webhooks: ['b.example.com'] }],
  });
  await source.first(stop.signal);
  expect(stage.trusted()).toEqual(['', stage.authority()]);
  expect(stage.server.requests.at(-1)?.body).toMatchObject([
    { op: 'test', path: '/webhooks/1/name', value: 'b.example.com' },
    { op: 'add', path: '/webhooks/1/clientConfig/caBundle' },
  ]);
});

test('a second replica uses what the first made', async () => {
  const stage = cluster();
  const [one, two] = [replica(stage), replica(stage)];
  await one.start();
  stage.server.requests.length = 0;
  await two.start();
  expect(two.served).toEqual(one.served);
  expect(stage.server.writes).toEqual([]);
});

test('two replicas that start together agree on one certificate', async () => {
  const stage = cluster();
  const [one, two] = [replica(stage), replica(stage)];
  const starting = Promise.all([one.start(), two.start()]);
  await stage.clock.advance(100);
  await starting;
  expect(one.served).toEqual(two.served);
  expect(stage.server.requests.filter(({ verb }) => verb === 'create')).toHaveLength(2);
});

test('the serving certificate is renewed before its last third, and every replica changes over', async () => {
  const stage = cluster();
  const [one, two] = [replica(stage), replica(stage)];
  await one.start();
  await two.start();
  const authority = stage.authority();
  stage.server.requests.length = 0;
  await stage.clock.jump(240 * DAY);
  expect(stage.server.writes).toEqual([]);
  await stage.clock.jump(10 * DAY);
  await stage.clock.advance(600_000);
  expect(one.served).toHaveLength(2);
  expect(two.served).toEqual(one.served);
  expect(stage.stored()).toBe(one.served[1]);
  expect(stage.authority()).toBe(authority);
});

test('a new CA is trusted beside the old one, and before anybody serves with it', async () => {
  const stage = cluster();
  const one = replica(stage, { servingDays: 3650 });
  await one.start();
  const old = stage.authority();
  await stage.clock.jump(2500 * DAY);
  expect(stage.authority()).not.toBe(old);
  await stage.clock.advance(4_999);
  expect(one.served).toHaveLength(1);
  await stage.clock.advance(1);
  expect(stage.authority().endsWith(old)).toBe(true);
  expect(one.trustedThen).toEqual([
    [old, old],
    [stage.authority(), stage.authority()],
  ]);
});

test('a Secret that somebody deleted is made anew, and the CA that is in use stays trusted', async () => {
  const stage = cluster();
  const one = replica(stage);
  await one.start();
  const old = stage.authority();
  stage.server.remove(SECRETS, SECRET);
  await stage.clock.advance(605_000);
  expect(one.served).toHaveLength(2);
  expect(stage.authority().endsWith(old)).toBe(true);
  expect(stage.trusted()).toEqual([stage.authority(), stage.authority()]);
});

test('a removed caBundle is restored at the next check', async () => {
  const stage = cluster();
  await replica(stage).start();
  stage.server.edit(CONFIGURATIONS, { name: 'web' }, (configuration) => {
    for (const { clientConfig } of configuration.webhooks ?? []) delete clientConfig.caBundle;
  });
  await stage.clock.advance(600_000);
  expect(stage.trusted()).toEqual([stage.authority(), stage.authority()]);
});

test('a check without findings writes nothing', async () => {
  const stage = cluster();
  await replica(stage).start();
  stage.server.requests.length = 0;
  await stage.clock.advance(6_000_000);
  expect(stage.server.verbs()).toEqual(Array(20).fill('get'));
});

test('a configuration that does not exist yet is looked for again later', async () => {
  const stage = cluster();
  stage.server.remove(CONFIGURATIONS, { name: 'web' });
  const one = replica(stage);
  await one.start();
  const webhooks = [{ name: 'a.example.com', clientConfig: {} }];
  stage.server.seed<WebhookConfiguration>(CONFIGURATIONS, { metadata: { name: 'web' }, webhooks });
  await stage.clock.advance(600_000);
  expect(stage.trusted()).toEqual([stage.authority()]);
});

test('a Secret with parts missing is filled anew, and what else it holds stays', async () => {
  const stage = cluster();
  stage.server.seed(SECRETS, { metadata: SECRET, data: { 'tls.crt': 'eA==', note: 'eA==' } });
  await replica(stage).start();
  expect(stage.stored()).toContain('BEGIN CERTIFICATE');
  expect(stage.server.peek(SECRETS, SECRET)?.data?.note).toBe('eA==');
});

test('missing permissions are reported and tried again every 5 s', async () => {
  const stage = cluster();
  const one = replica(stage);
  stage.server.before = () => {
    throw new ForbiddenError({ code: 403, reason: 'Forbidden', message: 'secrets is forbidden' });
  };
  const starting = one.start();
  await stage.clock.advance(12_000);
  expect(stage.server.requests).toHaveLength(3);
  expect(one.log.messages('warn')[0]).toBe('Cannot renew the webhook certificate; retrying');
  stage.server.before = undefined;
  await stage.clock.advance(5_000);
  await starting;
  expect(one.served).toHaveLength(1);
});

test('failures while it serves are retried every 5 s as well', async () => {
  const stage = cluster();
  await replica(stage).start();
  stage.server.before = () => {
    throw new ForbiddenError({ code: 403, reason: 'Forbidden' });
  };
  stage.server.requests.length = 0;
  await stage.clock.advance(600_000 + 10_000);
  expect(stage.server.requests).toHaveLength(3);
  stage.server.before = undefined;
  await stage.clock.advance(600_000);
  expect(stage.server.requests).toHaveLength(5);
});

test('an abort ends first and watch', async () => {
  const stage = cluster();
  const one = replica(stage);
  stage.server.before = () => {
    throw new ForbiddenError({ code: 403, reason: 'Forbidden' });
  };
  const starting = one.start();
  await stage.clock.settle();
  one.stop.abort(new Error('stopped'));
  await expect(starting).rejects.toThrow('stopped');
  stage.server.before = undefined;
  const two = replica(stage);
  await two.start();
  two.stop.abort();
  await stage.clock.settle();
  expect(stage.clock.pendingTimers).toBe(0);
  const three = replica(stage);
  await three.source.first(three.stop.signal);
  const watching = three.source.watch(() => {}, three.stop.signal);
  stage.server.before = () => three.stop.abort();
  await stage.clock.advance(600_000);
  await expect(watching).resolves.toBeUndefined();
});

test('it needs a name for its certificate', () => {
  expect(() =>
    managedCertificates({ client: new MemoryClient(), secret: SECRET, configurations: [] }),
  ).toThrow('need a service or names');
});
