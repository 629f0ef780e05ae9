import type { Client } from '@reloader/runtime';
import { expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import { ownFieldsDigest, ownFieldsOfTemplate } from '../model/own-fields.ts';
import type { WorkloadFacts, WorkloadKind } from '../model/workload.ts';
import { workloadFacts } from '../project/workload-projection.ts';
import { earlierFields } from './revisions.ts';

const MARK = 'reloader.stakater.com/rolled';
const SLOT = { name: 'STAKATER_SETTINGS_CONFIGMAP', value: 'older' };
const owner = (uid: string) => [{ apiVersion: 'apps/v1', kind: 'Any', name: 'web', uid, controller: true }];

interface Parts {
  readonly image?: string;
  readonly value?: string;
  readonly mark?: string;
  readonly labels?: object;
  readonly metadata?: object;
}

function template({ image = 'web:1', value = 'older', mark = 'one', labels, metadata }: Parts = {}) {
  return {
    metadata: { ...metadata, labels: { app: 'web', ...labels }, annotations: { theirs: 'x', [MARK]: mark } },
    spec: {
      containers: [
        {
          name: 'app',
          image,
          env: [
            { name: 'HOME', value: '/' },
            { ...SLOT, value },
          ],
        },
      ],
    },
  };
}

/** Its current template is that of a later reload. */
function running(kind: WorkloadKind, parts: Parts = {}): WorkloadFacts {
  const object = {
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', resourceVersion: '1' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: template({ value: 'newer', mark: 'two', ...parts }),
    },
  };
  return workloadFacts(object as never, kind, DEFAULT_ANNOTATIONS);
}

const WANTED = ownFieldsDigest(ownFieldsOfTemplate(template()));

async function found(workload: WorkloadFacts, ...items: readonly object[]): Promise<string | undefined> {
  const asked: string[] = [];
  const client = {
    list: async ({ plural }: { plural: string }, { labelSelector }: { labelSelector?: string }) => {
      asked.push(`${plural} ${labelSelector}`);
      return { items, metadata: {} };
    },
  } as unknown as Client;
  const { signal } = new AbortController();
  const fields = await earlierFields(client, workload, WANTED, DEFAULT_ANNOTATIONS, signal);
  const isReplicaSet = workload.kind === 'Deployment' || workload.kind === 'Rollout';
  expect(asked).toEqual([`${isReplicaSet ? 'replicasets' : 'controllerrevisions'} app=web`]);
  return fields?.annotations[MARK];
}

const replicaSet = (parts: Parts = {}, uid = 'uid-web') => ({
  metadata: { name: 'any', namespace: 'shop', ownerReferences: owner(uid) },
  spec: { template: template({ labels: { 'pod-template-hash': 'abc' }, ...parts }) },
});
const revision = (parts: Parts = {}) => ({
  metadata: { name: 'any', namespace: 'shop', ownerReferences: owner('uid-web') },
  data: { spec: { template: { ...template(parts), $patch: 'replace' } } },
});

it('is the ReplicaSet or ControllerRevision whose template differs in our fields alone, and has those', async () => {
  const present = { value: 'newer', mark: 'two' };
  expect(await found(running('Deployment'), replicaSet(present), replicaSet())).toBe('one');
  expect(await found(running('StatefulSet'), revision(present), revision())).toBe('one');
});

it('is not one of another workload, of another release, or of another reload', async () => {
  expect(await found(running('Deployment'), replicaSet({}, 'other'))).toBeUndefined();
  expect(await found(running('Deployment'), replicaSet({ image: 'web:0' }))).toBeUndefined();
  expect(await found(running('DaemonSet'), revision({ image: 'web:0' }))).toBeUndefined();
  expect(await found(running('Deployment'), replicaSet({ mark: 'zero' }))).toBeUndefined();
  expect(await found(running('Deployment'), replicaSet({ value: 'oldest' }))).toBeUndefined();
});

it('is the same whether or not a server wrote an empty time into one of the templates', async () => {
  const metadata = { creationTimestamp: null };
  expect(await found(running('DaemonSet'), revision({ metadata }))).toBe('one');
  expect(await found(running('DaemonSet', { metadata }), revision())).toBe('one');
  expect(await found(running('DaemonSet', { metadata }), revision({ metadata }))).toBe('one');
});

it('of a Rollout may have defaults that its own template lacks', async () => {
  const labels = { 'rollouts-pod-template-hash': 'abc' };
  const set = replicaSet({ labels });
  const defaulted = { ...set.spec.template, spec: { ...set.spec.template.spec, restartPolicy: 'Always' } };
  expect(await found(running('Rollout'), { ...set, spec: { template: defaulted } })).toBe('one');
});
