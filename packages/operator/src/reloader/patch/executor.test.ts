/** Executors on minicluster; `executor.cluster.test.ts` runs the same cases on the real control plane. */

import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import { createClient, kinds } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { jobCases } from './jobs.cases.test.support.ts';
import { restartCases } from './restart.cases.test.support.ts';
import { NAMESPACE, OPERATOR_NAMESPACE, plainCrd, type Stage } from './stage.test.support.ts';
import { templateCases } from './template.cases.test.support.ts';

const clock = new VirtualClock();
let cluster: Minicluster;
let stage: Stage;

beforeAll(async () => {
  cluster = await startMinicluster({ clock, seed: 5 });
  const client = createClient({ transport: cluster.transport(), clock });
  stage = { client, clock, pass: (ms) => clock.advance(ms) };
  for (const name of [NAMESPACE, OPERATOR_NAMESPACE])
    await client.create(kinds.Namespace, { metadata: { name } });
  for (const kind of ['Rollout', 'DeploymentConfig'] as const) {
    await client.create(kinds.CustomResourceDefinition, plainCrd(kind));
  }
  await clock.advance(5_000);
});

afterAll(() => cluster.stop());

describe('reloads that are one PATCH', () => templateCases(() => stage));

describe('restarts by eviction', () => restartCases(() => stage));
describe('Jobs', () => jobCases(() => stage));
