/** The cases of `executor.test.ts` on the real control plane. */
import { type Client, createClient, kinds, loadConfig, sleep, systemClock } from '@reloader/runtime';
import { afterAll, beforeAll, describe } from 'vitest';
import { useControlPlane } from '../../../../../test/control-plane/vitest.ts';
import { jobCases } from './jobs.cases.test.support.ts';
import { restartCases } from './restart.cases.test.support.ts';
import { NAMESPACE, OPERATOR_NAMESPACE, plainCrd, type Stage } from './stage.test.support.ts';
import { templateCases } from './template.cases.test.support.ts';

const cluster = useControlPlane({ workloads: true });
let client: Client;
let stage: Stage;

beforeAll(async () => {
  client = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  stage = { client, clock: systemClock, pass: (ms) => sleep(systemClock, ms) };
  for (const name of [NAMESPACE, OPERATOR_NAMESPACE]) {
    await client.create(kinds.Namespace, { metadata: { name } });
  }
  const crds = [plainCrd('Rollout'), plainCrd('DeploymentConfig')];
  for (const crd of crds) await client.create(kinds.CustomResourceDefinition, crd);
  await cluster().kubectl([
    'wait',
    '--for=condition=Established',
    '--timeout=60s',
    ...crds.map(({ metadata }) => `crd/${metadata.name}`),
  ]);
});

afterAll(() => client.close());

describe('reloads that are one PATCH', () => templateCases(() => stage));
describe('restarts by eviction', () => restartCases(() => stage));
describe('Jobs', () => jobCases(() => stage));
