import { type KubernetesObject, kinds, silentLogger } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import type { OperatorView } from '../api/operator-view.ts';
import { createApi } from '../api/routes.ts';
import type { Asking } from './serving.test.support.ts';
import { serveApi } from './token-api.test.support.ts';

describe('the API for tokens', () => {
  describe('actions of people with a token', () => {
    const web = { kind: 'Deployment', namespace: 'shop', name: 'web' };
    const FREEZE = '/api/v1/actions/freeze';
    const Role = {
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      kind: 'Role',
      plural: 'roles',
    } as const;

    async function serveActions(waits: readonly object[] = []) {
      const served = await serveApi('--ui-bind-address');
      const { client, addApi } = served;
      const labels = { app: 'web' };
      await client.create(kinds.Deployment, {
        metadata: { namespace: 'shop', name: 'web' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app' }] } },
        },
      } as KubernetesObject);
      const operatorView = {
        explain: async () => ({ outlook: { waits }, notes: [] }),
      } as unknown as OperatorView;
      addApi(createApi({ operatorView, logger: silentLogger }));
      const grant = async (verbs: readonly string[]): Promise<void> => {
        const rules = [
          { apiGroups: ['reloader.stakater.com'], resources: ['reloaderconfigs'], verbs: ['list'] },
          { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'], verbs },
        ];
        const type = { ...Role, namespaced: true };
        await client.patch(type, { namespace: 'shop', name: 'reads' }, { type: 'merge', body: { rules } });
      };
      const deployment = () => client.get(kinds.Deployment, { namespace: 'shop', name: 'web' });
      return { ...served, grant, deployment };
    }

    test('are made by the operator if the caller may patch exactly that object, reviewed each time', async () => {
      const { post, grant, deployment, client, ask } = await serveActions();
      expect(JSON.parse((await ask('/api/v1/me')).body)).toEqual({
        may: ['freeze', 'unfreeze', 'approve', 'now'],
      });
      expect((await post(FREEZE, undefined, { target: web })).status).toBe(401);
      expect((await post(FREEZE, 'nonsense', { target: web })).status).toBe(401);
      expect((await post(FREEZE, 'stranger', { target: web })).status).toBe(403);
      const reads = await post(FREEZE, 'shopkeeper', { target: web });
      expect(reads).toMatchObject({
        status: 403,
        body: expect.stringContaining('right to patch deployments web'),
      });
      expect((await deployment()).metadata.annotations).toBeUndefined();

      await grant(['patch']);
      expect((await post(FREEZE, 'shopkeeper', { target: web })).status).toBe(200);
      const frozen = await deployment();
      expect(frozen.metadata.annotations).toEqual({ 'reloader.stakater.com/freeze': 'true' });
      expect(JSON.stringify(frozen.metadata.managedFields)).toContain('"manager":"reloader-ui/shopkeeper"');
      await expect
        .poll(async () => JSON.stringify(await client.list(kinds.Event, { namespace: 'shop' })))
        .toContain('shopkeeper froze it on the page');
      const other = { ...web, name: 'other' };
      expect((await post(FREEZE, 'shopkeeper', { target: other })).status).toBe(403);
      expect((await post(FREEZE, 'shopkeeper', { target: { namespace: 'shop' } })).status).toBe(403);

      await grant(['get']);
      expect((await post('/api/v1/actions/unfreeze', 'shopkeeper', { target: web })).status).toBe(403);
      expect((await deployment()).metadata.annotations).toEqual({ 'reloader.stakater.com/freeze': 'true' });
    });

    test.each([
      ['shopkeeper', '?namespace=shop', { user: 'shopkeeper' }],
      ['shopkeeper', '', { user: 'shopkeeper' }],
      ['stranger', '?namespace=shop', { user: 'stranger' }],
      ['nonsense', '', {}],
    ])('me names the user of the token %s%s', async (token, query, named) => {
      const { ask } = await serveActions();
      const { status, body } = await ask(`/api/v1/me${query}`, token);
      expect(status).toBe(200);
      expect(JSON.parse(body)).toEqual({ ...named, may: ['freeze', 'unfreeze', 'approve', 'now'] });
    });

    test('approve the change that was seen', async () => {
      const { post, grant, deployment } = await serveActions([{ why: 'approval', change: 'k3v9x2mqpa' }]);
      await grant(['patch']);
      const approve = (change: string) =>
        post('/api/v1/actions/approve', 'shopkeeper', { target: web, change });
      expect((await approve('another')).status).toBe(409);
      expect((await approve('k3v9x2mqpa')).status).toBe(200);
      expect((await deployment()).metadata.annotations).toEqual({
        'reloader.stakater.com/approve': 'k3v9x2mqpa',
      });
    });

    test('are small JSON bodies posted by our own page, and rate limited', async () => {
      const { post, admin, ask } = await serveActions();
      const json = { 'content-type': 'application/json' };
      const freeze = (more: Asking) => post(FREEZE, admin, { target: web }, more);
      expect((await ask(FREEZE, admin)).status).toBe(405);
      expect((await freeze({ headers: { 'content-type': 'text/plain' } })).status).toBe(415);
      expect((await freeze({ body: `"${'x'.repeat(5_000)}"` })).status).toBe(400);
      expect((await freeze({ body: 'no JSON' })).status).toBe(400);
      expect((await freeze({ headers: { ...json, origin: 'https://evil.example' } })).status).toBe(403);
      expect((await freeze({ headers: { ...json, 'sec-fetch-site': 'same-site' } })).status).toBe(403);
      const many = await Promise.all(Array.from({ length: 40 }, () => freeze({ body: '{}' })));
      expect(new Set(many.map(({ status }) => status))).toEqual(new Set([400, 429]));
      expect((await post(FREEZE, 'shopkeeper', {})).status).toBe(400);
    });
  });
});
