import { apps, type BehaviourCase, configMap, core, deployment, get, post } from '../case.ts';

const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const cm = core('configmaps', 'a');
const created = post(core('configmaps'), configMap('a', { x: '1' }, { labels: { mine: '' } }), {
  bodyIgnored: true,
});
const mine = `${core('configmaps')}?labelSelector=mine`;
const table = (path: string) => get(path, { accept: TABLE });

export const outputCases: readonly BehaviourCase[] = [
  {
    name: 'only metadata',
    steps: [created, get(cm, { accept: METADATA }), get(mine, { accept: METADATA_LIST })],
  },
  {
    name: 'tables of ConfigMaps',
    steps: [
      created,
      table(mine),
      table(cm),
      table(`${mine}&includeObject=None`),
      table(`${mine}&includeObject=Object`),
      table(`${mine}&includeObject=Half`),
      table(core('configmaps', 'absent')),
    ],
  },
  {
    name: 'tables of workloads',
    steps: [
      post(apps('deployments'), deployment('d', { replicas: 0, paused: true }), { bodyIgnored: true }),
      { until: apps('deployments', 'd'), field: 'status.observedGeneration', equals: 1 },
      table(apps('deployments')),
      table(apps('replicasets')),
      table(apps('statefulsets')),
      table(apps('daemonsets')),
      table(core('pods')),
      table(core('services')),
      table(core('secrets')),
      table(core('serviceaccounts')),
      table('/apis/batch/v1/namespaces/{ns}/jobs'),
      table('/apis/batch/v1/namespaces/{ns}/cronjobs'),
      table('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets'),
      table('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases'),
      table('/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses'),
    ],
  },
  {
    name: 'a fallback in the Accept header',
    steps: [
      created,
      get(cm, { accept: `${TABLE},application/json` }),
      get(cm, { accept: 'application/json;as=Nonsense;g=meta.k8s.io;v=v1,application/json' }),
      get(cm, { accept: '*/*' }),
    ],
  },
  {
    name: 'an answer that cannot be given',
    steps: [
      created,
      get(cm, { accept: 'text/html' }),
      get(cm, { accept: 'application/json;as=Nonsense;g=meta.k8s.io;v=v1' }),
    ],
  },
];
