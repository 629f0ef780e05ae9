import { beforeEach, expect, test } from 'vitest';
import { type TestCluster, testCluster } from './cluster.test.helper.ts';

let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
});

test.each([
  ['/api/v1/namespaces/default/resourcequotas', { spec: { hard: { pods: '1' } } }, 'does not enforce quotas'],
  ['/api/v1/namespaces/default/limitranges', { spec: { limits: [] } }, 'does not apply limit ranges'],
])('POST %s is stored with a warning', async (path, content, text) => {
  const { status, headers } = await t.send('POST', path, { metadata: { name: 'a' }, ...content });
  expect(status).toBe(201);
  expect(headers.warning).toContain(`minicluster ${text}`);
});

test('a CRD that is converted by a webhook is served unconverted, with a warning', async () => {
  const crd = (conversion: object) => ({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      conversion,
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  });
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const webhook = { clientConfig: { url: 'https://example.com' }, conversionReviewVersions: ['v1'] };
  const warned = await t.send('POST', `${path}?dryRun=All`, crd({ strategy: 'Webhook', webhook }));
  expect(warned.headers.warning).toContain('minicluster does not call conversion webhooks');
  const plain = await t.send('POST', path, crd({ strategy: 'None' }));
  expect(plain.status).toBe(201);
  expect(plain.headers).not.toHaveProperty('warning');
});
