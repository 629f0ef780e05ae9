/**
 * I3 and O1: several replicas, many workloads, many writers; counts are exact. And what administrators read, or use in
 * place of reloads.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { LEASE } from '../names.ts';
import { scenario } from '../scenario.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;

export const running = [
  scenario('I3: a change of leader restarts nothing and loses nothing', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { annotations: auto, uses });
    const args = ['--enable-ha'];
    const first = await s.operator({ args, env: { POD_NAME: 'first' } });
    await s.adopted(web);
    const second = await s.operator({ args, env: { POD_NAME: 'second' } });
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
    // Killed, so that its Lease has to expire.
    await first.kill();
    await s.secret('db', { a: '3' });
    await s.stage.until('the other one to take over', () => s.rollouts(web) === 2, 60_000);
    await s.rolled([web, 2]);
    const third = await s.operator({ args, env: { POD_NAME: 'third' } });
    await second.stop();
    await s.secret('db', { a: '4' });
    await s.stage.until('the third one to take over', () => s.rollouts(web) === 3, 60_000);
    await s.rolled([web, 3]);
    const leases = (await s.stage.requests()).filter(({ resource }) => resource === 'leases');
    expect(new Set(leases.map(({ name }) => name).filter((name) => name !== '')), third.user).toEqual(
      new Set([LEASE]),
    );
  }),

  scenario('O1: one source with fifty users: fifty reloads, no more', async (s) => {
    await s.configMap('settings', { a: '1' });
    const refs = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        s.deployment(`web-${index}`, { annotations: auto, uses: [{ configMap: 'settings' }] }),
      ),
    );
    await s.operator();
    await s.adopted(...refs);
    await s.configMap('settings', { a: '2' });
    await s.rolled(...refs.map((ref) => [ref, 1] as const));
    const patches = (await s.stage.requests()).filter(
      ({ verb, resource, body }) =>
        verb === 'patch' && resource === 'deployments' && JSON.stringify(body).includes('/spec/template'),
    );
    expect(patches, 'one PATCH each').toHaveLength(50);
  }),

  scenario(
    'O1: parallel writers, metadata noise, workloads that come and go: every count is exact',
    async (s) => {
      const sources = Array.from({ length: 6 }, (_, index) => `source-${index}`);
      await Promise.all(sources.map((name) => s.secret(name, { a: '0' })));
      const refs = await Promise.all(
        sources.map((name) => s.deployment(`on-${name}`, { annotations: auto, uses: [{ secret: name }] })),
      );
      await s.operator();
      await s.adopted(...refs);
      for (const round of ['1', '2', '3']) {
        await Promise.all(
          sources.map(async (name, index) => {
            if (index % 3 === 0) await s.merge(s.ref('Secret', name), { metadata: { labels: { round } } });
            else await s.secret(name, { a: round });
          }),
        );
        const passing = await s.deployment(`passing-${round}`, {
          annotations: auto,
          uses: [{ secret: 'source-1' }],
        });
        await s.stage.quiet();
        await s.remove('Deployment', passing.name);
        await s.gone(passing);
      }
      await s.rolled(...refs.map((ref, index) => [ref, index % 3 === 0 ? 0 : 3] as const));
    },
  ),

  scenario('O1: a change of a source without users causes no request', async (s) => {
    await s.configMap('settings', { a: '1' });
    await s.configMap('lonely', { a: '0' });
    const web = await s.deployment('web', { annotations: auto, uses: [{ configMap: 'settings' }] });
    await s.operator();
    await s.adopted(web);
    await s.stage.quiet(60_000, 5_000);
    const before = (await s.stage.requests()).length;
    for (let step = 1; step <= 20; step++) await s.configMap('lonely', { a: String(step) });
    await s.stage.quiet();
    const since = (await s.stage.requests()).slice(before);
    // Watches are reopened and a Lease is renewed even without changes.
    const after = since.filter(({ verb, resource }) => verb !== 'watch' && resource !== 'leases');
    expect(after).toEqual([]);
  }),

  scenario(
    'webhook mode: a change is posted, again where the receiver fails, and no workload is touched',
    async (s) => {
      s.allow.pending = true;
      const bodies: string[] = [];
      const server = createServer(async (request, response) => {
        bodies.push(await text(request));
        response.writeHead(bodies.length === 1 ? 503 : 200).end();
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      try {
        await s.secret('db', { a: '1' });
        const web = await s.deployment('web', { annotations: auto, uses });
        const { port } = server.address() as AddressInfo;
        await s.operator({ args: [`--webhook-url=http://127.0.0.1:${port}/hook`] });
        await s.secret('db', { a: '2' });
        await s.stage.until('the second attempt', () => bodies.length >= 2);
        await s.rolled([web, 0]);
        expect(bodies.map((body) => JSON.parse(body))).toEqual([
          { webhook: 'update successful' },
          { webhook: 'update successful' },
        ]);
        expect(s.record(web)).toBeUndefined();
      } finally {
        server.close();
      }
    },
    // Sockets do not work in virtual time; the webhook's own tests use a receiver without sockets.
    { only: 'cluster' },
  ),

  scenario('document 2: Events on the workload, and the metrics of Stakater, tell of a reload', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { annotations: auto, uses });
    const operator = await s.operator({ env: { METRICS_COUNT_BY_NAMESPACE: 'enabled' } });
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
    await s.stage.until('the Event', () => s.events(web).some(({ reason }) => reason === 'Reloaded'));
    expect(s.events(web).find(({ reason }) => reason === 'Reloaded')).toEqual({
      type: 'Normal',
      reason: 'Reloaded',
      message: `Changes detected in 'db' of type 'SECRET' in namespace '${s.namespace}', Updated 'web' of type 'Deployment' in namespace '${s.namespace}'`,
    });
    const metrics = await operator.metrics();
    expect(metrics).toMatch(/^reloader_reload_executed_total\{success="true"\} 1$/m);
    expect(metrics).toMatch(/^reloader_reload_executed_total\{success="false"\} 0$/m);
    expect(metrics).toMatch(
      new RegExp(`^reloader_reload_executed_total_by_namespace\\{.*namespace="${s.namespace}".*\\} 1$`, 'm'),
    );
  }),
];
