/** Manifests of Jobs, history and meta info that an attacker put into the operator's namespace before it starts. */
import { kinds, NotFoundError } from '@reloader/runtime';
import { expect } from 'vitest';
import { KEPT_LABEL } from '../../../packages/operator/src/reloader/patch/kept-jobs.ts';
import { poll } from '../../control-plane/poll.ts';
import type { Attack } from '../harness.ts';

const UIDS = ['beef', 'cafe', 'f00d'] as const;
const PATIENCE_MS = 30_000;

function manifest(namespace: string, name: string): string {
  const container = { name: 'own', image: 'registry.test/evil:1', command: ['sh', '-c', 'id'] };
  return JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace, name },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', serviceAccountName: 'default', containers: [container] },
      },
    },
  });
}

export function forgedKeptJobs(...flags: string[]): Attack {
  return {
    title: ['forged manifests of Jobs, and a forged history', ...flags].join(' '),
    flags,
    async prepare({ client, namespace, nameOf }) {
      const victim = await namespace('shop');
      const own = nameOf('reloader');
      for (const [index, uid] of UIDS.entries()) {
        const metadata = {
          namespace: own,
          name: `reloader-job-${uid}`,
          labels: { [KEPT_LABEL]: 'true' },
        };
        const job = manifest(victim, `evil-${uid}`);
        const fields = { uid, job, ...(index > 0 && { code: 'A'.repeat(43) }) };
        await client.create(kinds.ConfigMap, { metadata, data: fields });
        await client.create(kinds.Secret, { metadata, stringData: fields });
      }
      for (const name of ['reloader-history', 'reloader-meta-info']) {
        const data = {
          history: `{"v":1,${'['.repeat(100_000)}`,
          workloads: 'x'.repeat(500_000),
          '0': 'null',
        };
        await client.create(kinds.ConfigMap, { metadata: { namespace: own, name }, data });
      }
    },
    async strike(_, { log }) {
      await poll(() => log().split('A kept manifest of a Job is not used').length > UIDS.length, {
        what: 'every forged manifest to be told',
        timeout: PATIENCE_MS,
      });
    },
    async judge({ client, nameOf }) {
      for (const uid of UIDS) {
        const key = { namespace: nameOf('shop'), name: `evil-${uid}` };
        await expect(client.get(kinds.Job, key)).rejects.toThrow(NotFoundError);
      }
    },
  };
}
