import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyCrds } from '../crds/apply.ts';
import { podConfigMapConfigCrd } from '../crds/pod-config-map-config.ts';
import type { PodConfigMapConfig } from './model.ts';
import { openStage, settled } from './stage.test.support.ts';

type Stage = Awaited<ReturnType<typeof openStage>>;
let stage: Stage;
let controller: ReturnType<Stage['start']> | undefined;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await controller?.stop();
  await stage.close();
});

type Spec = NonNullable<PodConfigMapConfig['spec']>;

/** Stores it as a definition without our rules would, and installs ours again. */
async function storeUnchecked(name: string, spec: unknown): Promise<void> {
  const definition = structuredClone(podConfigMapConfigCrd) as unknown as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: object } } } }[] };
  };
  for (const version of definition.spec.versions) {
    version.schema.openAPIV3Schema.properties.spec = { 'x-kubernetes-preserve-unknown-fields': true };
  }
  await install(definition);
  await stage.config(name, spec as Spec);
  await install(podConfigMapConfigCrd);
}

async function install(definition: object): Promise<void> {
  await settled(stage.clock, applyCrds(stage.client, { clock: stage.clock, definitions: [definition] }));
}

describe('A config that an earlier definition let in', () => {
  it.each<[what: string, reason: string, spec: unknown]>([
    [
      'a requirement without a key',
      'ErrorInPodSelector',
      { podSelector: { matchExpressions: [{ operator: 'Exists' }] } },
    ],
    [
      'a requirement without an operator',
      'ErrorInPodSelector',
      { podSelector: { matchExpressions: [{ key: 'app' }] } },
    ],
    [
      'a requirement without values',
      'ErrorInPodSelector',
      { podSelector: { matchExpressions: [{ key: 'app', operator: 'In' }] } },
    ],
    ['a selector that is a text', 'ErrorInPodSelector', { podSelector: 'app=web' }],
    ['expressions that are no list', 'ErrorInPodSelector', { podSelector: { matchExpressions: 'app' } }],
    ['a number as a label', 'ErrorInPodSelector', { podSelector: { matchLabels: { app: 7 } } }],
    [
      'a number among values',
      'ErrorInPodSelector',
      { podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: [7] }] } },
    ],
    ['templates that are a list', 'InvalidTemplate', { configMapDataTemplate: ['x'] }],
    ['labels that are a text', 'Synced', { labelsToInclude: 'app' }],
    ['fields of nobody', 'Synced', { ebpfConfig: { l4Firewall: { enabled: true } } }],
  ])('with %s says %s, and harms no other', async (_, reason, spec) => {
    await stage.pod('web', { app: 'web' });
    await storeUnchecked('odd', spec);
    await stage.config('good');
    controller = stage.start();
    await stage.rest();
    expect(await stage.names()).toContain('pod-web-from-good-cfg');
    expect((await stage.status('good')).conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect((await stage.status('odd')).conditions?.[0]).toMatchObject({ type: 'Ready', reason });
  });
});
