import { describe, expect, it } from 'vitest';
import { copyOfJob } from './job-copy.ts';

const meta = { name: 'once', namespace: 'shop', uid: 'old', resourceVersion: '7' };
const generated = {
  'controller-uid': 'old',
  'job-name': 'once',
  'batch.kubernetes.io/controller-uid': 'old',
  'batch.kubernetes.io/job-name': 'once',
};
const change = {
  variables: [{ name: 'A', container: 'main', value: '1' }],
  annotations: { mark: 'x' },
};
const job = (manualSelector?: true) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    ...meta,
    creationTimestamp: '2030-01-01T00:00:00Z',
    generation: 3,
    labels: { app: 'once', ...generated },
    annotations: { 'reloader.stakater.com/ledger': '{}', note: 'kept' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'o' }],
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: {
    backoffLimit: 2,
    suspend: false,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'old' } },
    ...(manualSelector && { manualSelector }),
    template: {
      metadata: { labels: { app: 'once', ...generated } },
      spec: { containers: [{ name: 'main', image: 'i' }], restartPolicy: 'Never' },
    },
  },
  status: { succeeded: 1 },
});

describe('the copy of a Job', () => {
  it('has nothing that the server gave the old one, and the change', () => {
    expect(copyOfJob(job(), change)).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'once',
        namespace: 'shop',
        labels: { app: 'once' },
        annotations: { note: 'kept' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'o' }],
      },
      spec: {
        backoffLimit: 2,
        suspend: false,
        template: {
          metadata: { labels: { app: 'once' }, annotations: { mark: 'x' } },
          spec: {
            containers: [{ name: 'main', image: 'i', env: [{ name: 'A', value: '1' }] }],
            restartPolicy: 'Never',
          },
        },
      },
    });
  });

  it('keeps a selector that a person chose, with its labels', () => {
    const copy = copyOfJob(job(true), change);
    expect(copy.spec?.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'old' } });
    expect(copy.spec?.template?.metadata?.labels).toEqual({ app: 'once', ...generated });
  });

  it('leaves the old one as it is', () => {
    const old = job();
    copyOfJob(old, change);
    expect(old).toEqual(job());
  });
});
