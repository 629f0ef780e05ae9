import { type BehaviourCase, configMap, core, get, post } from '../case.ts';

const cms = core('configmaps');
/** This label excludes the namespace's own ConfigMap (the cluster's CA). */
const MINE = 'labelSelector=mine';
const three = [
  post(cms, configMap('a', { x: '1' }, { labels: { mine: '', tier: 'web', env: 'prod' } }), {
    bodyIgnored: true,
  }),
  post(cms, configMap('b', { x: '1' }, { labels: { mine: '', tier: 'db', env: 'test' } }), {
    bodyIgnored: true,
  }),
  post(cms, configMap('c', { x: '1' }, { labels: { mine: '', env: 'prod' } }), { bodyIgnored: true }),
] as const;

const select = (selector: string) => get(`${cms}?labelSelector=${encodeURIComponent(`mine,${selector}`)}`);

export const listCases: readonly BehaviourCase[] = [
  {
    name: 'label selectors',
    steps: [
      ...three,
      select('tier=web'),
      select('tier!=web'),
      select('tier in (web,db)'),
      select('tier notin (web)'),
      select('!tier'),
      select('tier'),
      select('env==prod,tier'),
      get(`${cms}?labelSelector=tier%20in`),
      get(`${cms}?labelSelector=%3Dx`),
      get(`${cms}?labelSelector=a%20b`),
    ],
  },
  {
    name: 'field selectors',
    steps: [
      ...three,
      get(`${cms}?fieldSelector=metadata.name%3Da`),
      get(`${cms}?${MINE}&fieldSelector=metadata.name!%3Da`),
      get(`/api/v1/configmaps?fieldSelector=metadata.namespace%3D{ns},metadata.name%3Db`),
      get(`${cms}?fieldSelector=data.x%3D1`),
      get(`${cms}?fieldSelector=metadata.name`),
      get(`${core('pods')}?fieldSelector=spec.nodeName%3Dnone,status.phase%3DRunning`),
      get(`${core('secrets')}?fieldSelector=type%3DOpaque`),
    ],
  },
  {
    name: 'pages',
    steps: [
      ...three,
      get(`${cms}?${MINE}&limit=2`),
      get(`${cms}?${MINE}&limit=10`),
      // Namespaces have no Secrets of their own, so these are all.
      ...['a', 'b', 'c'].map((name) =>
        post(
          core('secrets'),
          { apiVersion: 'v1', kind: 'Secret', metadata: { name } },
          { bodyIgnored: true },
        ),
      ),
      get(`${core('secrets')}?limit=1`),
      get(`${core('secrets')}?limit=3`),
      get(`${cms}?${MINE}&limit=-1`),
      get(`${cms}?${MINE}&limit=x`),
      get(`${cms}?limit=1&continue=nonsense`),
    ],
  },
  {
    name: 'versions of a list',
    steps: [
      ...three,
      get(`${cms}?${MINE}&resourceVersion=0`),
      get(`${cms}?${MINE}&resourceVersion=1&resourceVersionMatch=NotOlderThan`),
      get(`${cms}?resourceVersion=1&resourceVersionMatch=Exact`),
      get(`${cms}?resourceVersionMatch=Exact`),
      get(`${cms}?resourceVersion=0&resourceVersionMatch=Exact`),
      get(`${cms}?resourceVersion=1&resourceVersionMatch=Sometimes`),
      get(`${cms}?resourceVersion=x`),
      get(`${cms}?resourceVersion=99999999999`),
      get(`${cms}/a?resourceVersion=99999999999`),
    ],
  },
  {
    name: 'empty and absent',
    steps: [
      get(`${core('secrets')}?labelSelector=none`),
      get('/api/v1/namespaces/{ns}-absent/configmaps'),
      get(core('configmaps', 'absent')),
      get('/api/v1/nonsense'),
      get('/apis/none.example.org/v1/things'),
      get('/apis/apps/v7/deployments'),
      get('/nowhere'),
    ],
  },
];
