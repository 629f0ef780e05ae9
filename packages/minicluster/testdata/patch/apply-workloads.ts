/** Ownership in kinds with keyed lists and a status. */
import { container, deployment, type Scenario, SUBJECT } from './case.ts';
import { apply, create, merge, status } from './steps.ts';

export const workloadScenarios: readonly Scenario[] = [
  {
    name: 'a deployment is created',
    kind: 'Deployment',
    steps: [
      create(
        deployment([
          container('a', {
            env: [{ name: 'X', value: '1' }],
            ports: [{ containerPort: 80, protocol: 'TCP' }],
          }),
        ]),
      ),
    ],
  },
  {
    name: 'apply one container of two',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a'), container('b')])),
      apply('one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: SUBJECT },
        spec: { template: { spec: { containers: [{ name: 'b', image: 'b:2' }] } } },
      }),
      apply(
        'one',
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: SUBJECT },
          spec: { template: { spec: { containers: [{ name: 'b', image: 'b:2' }] } } },
        },
        true,
      ),
    ],
  },
  {
    name: 'apply adds a container and takes it out',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a')])),
      apply('one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: SUBJECT },
        spec: { template: { spec: { containers: [container('n', { env: [{ name: 'A', value: '1' }] })] } } },
      }),
      merge({ metadata: { labels: { x: 'y' } } }),
      apply('one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: SUBJECT },
        spec: { replicas: 2 },
      }),
    ],
  },
  {
    name: 'apply owns the replicas, an update takes them',
    kind: 'Deployment',
    steps: [
      apply('one', deployment([container('a')])),
      merge({ spec: { replicas: 5 } }, 'scaler'),
      apply('one', deployment([container('a')])),
      apply('two', deployment([container('a')], { replicas: 5 })),
    ],
  },
  {
    name: 'ports with and without a protocol are one',
    kind: 'Deployment',
    steps: [
      apply('one', deployment([container('a', { ports: [{ containerPort: 80 }] })])),
      apply(
        'one',
        deployment([
          container('a', {
            ports: [
              { containerPort: 80, protocol: 'TCP' },
              { containerPort: 80, protocol: 'UDP' },
            ],
          }),
        ]),
      ),
    ],
  },
  {
    name: 'the order of applied containers',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a'), container('b'), container('c')])),
      apply('one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: SUBJECT },
        spec: { template: { spec: { containers: [{ name: 'c' }, container('n'), { name: 'a' }] } } },
      }),
    ],
  },
  {
    name: 'an update changes a container',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a'), container('b')])),
      {
        verb: 'strategic',
        manager: 'patcher',
        body: { spec: { template: { spec: { containers: [{ name: 'a', image: 'a:2' }] } } } },
      },
      {
        verb: 'strategic',
        manager: 'patcher',
        body: { spec: { template: { spec: { containers: [{ name: 'b', $patch: 'delete' }] } } } },
      },
    ],
  },
  {
    name: 'duplicate environment variables',
    kind: 'Deployment',
    steps: [
      create(
        deployment([
          container('a', {
            env: [
              { name: 'X', value: '1' },
              { name: 'X', value: '2' },
            ],
          }),
        ]),
      ),
      {
        verb: 'strategic',
        manager: 'patcher',
        body: {
          spec: {
            template: { spec: { containers: [{ name: 'a', env: [{ $patch: 'delete', name: 'X' }] }] } },
          },
        },
      },
    ],
  },
  {
    name: 'the status belongs to its writer',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a')])),
      status({
        status: {
          replicas: 1,
          conditions: [{ type: 'Available', status: 'True', reason: 'r', message: 'm' }],
        },
        metadata: { labels: { z: 'z' } },
      }),
      status(
        { status: { conditions: [{ type: 'Available', status: 'False', reason: 'r', message: 'm' }] } },
        'other',
      ),
      merge({ status: { replicas: 7 }, spec: { paused: true } }),
    ],
  },
  {
    name: 'a service, with what the server allocates',
    kind: 'Service',
    steps: [
      create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: SUBJECT },
        spec: { clusterIP: 'None', selector: { a: 'b' }, ports: [{ name: 'x', port: 80 }] },
      }),
      apply('one', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: SUBJECT },
        spec: { ports: [{ name: 'y', port: 81 }], selector: { a: 'c' } },
      }),
    ],
  },
];
