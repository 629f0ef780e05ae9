import { type BehaviourCase, get } from '../case.ts';

export const discoveryCases: readonly BehaviourCase[] = [
  {
    name: 'entry points',
    steps: [
      get('/api', { bodyIgnored: true }),
      get('/apis', { bodyIgnored: true }),
      get('/version', { bodyIgnored: true }),
    ],
  },
  {
    name: 'health',
    steps: [get('/healthz'), get('/livez'), get('/readyz')],
  },
  {
    name: 'groups that are not there',
    steps: [get('/apis/none.example.org'), get('/apis/none.example.org/v1'), get('/api/v2')],
  },
  {
    name: 'single groups',
    steps: [get('/apis/coordination.k8s.io/v1'), get('/apis/batch/v1'), get('/apis/policy/v1')],
  },
];
