/** A ReloaderConfig that targets 500 workloads in as many namespaces, none of which allow it. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { ReloaderConfigs } from '../../../packages/operator/src/crds/reloader-config.ts';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack } from '../harness.ts';

const TARGETS = 500;
const PER_CONFIG = 100;
const PATIENCE_MS = 60_000;

export function targetsWithoutConsent(): Attack {
  let before = '';
  return {
    title: `${TARGETS} targets in ${TARGETS} namespaces without consent`,
    async prepare({ client, namespace, nameOf }) {
      const [evil, bank] = [await namespace('evil'), await namespace('bank')];
      await client.create(kinds.Secret, {
        metadata: { namespace: evil, name: 'trigger' },
        stringData: { key: 'one' },
      });
      const deployment = workload('Deployment', 'web', bank, { uses: [{ secret: 'trigger' }] });
      before = JSON.stringify((await client.create(kinds.Deployment, deployment)).spec);
      const names = Array.from({ length: TARGETS - 1 }, (_, index) => `tenant-${index}`);
      // `bank` is not the first, because the first name begins a sentence of the status.
      const [first = '', ...others] = names.map((name) => nameOf(name));
      const all = [first, bank, ...others];
      for (let index = 0; index < TARGETS; index += PER_CONFIG) {
        const targets = all
          .slice(index, index + PER_CONFIG)
          .map((each) => ({ kind: 'Deployment' as const, name: 'web', namespace: each }));
        await client.create(ReloaderConfigs, {
          metadata: { namespace: evil, name: `reach-${index}` },
          spec: { watchedResources: { secrets: ['trigger'] }, targets },
        });
      }
    },
    async strike({ client, nameOf }) {
      const key = { namespace: nameOf('evil'), name: 'trigger' };
      for (const value of ['two', 'three'])
        await client.patch(kinds.Secret, key, { type: 'merge', body: { stringData: { key: value } } });
      const isTold = async (): Promise<boolean> => {
        const { items } = await client.list(ReloaderConfigs, { namespace: nameOf('evil') });
        return items.every(({ status }) => JSON.stringify(status ?? {}).includes('CrossNamespaceDenied'));
      };
      await poll(isTold, { what: 'every config to be denied', timeout: PATIENCE_MS });
    },
    async judge({ client, nameOf }) {
      const live = await client.get(kinds.Deployment, { namespace: nameOf('bank'), name: 'web' });
      const templateOf = (spec: unknown): unknown => (spec as { template?: unknown }).template;
      expect(templateOf(live.spec)).toEqual(templateOf(JSON.parse(before)));
      // The one existing namespace is reported like those that do not exist.
      const told = async (config: string, namespace: string): Promise<string> => {
        const { status } = await client.get(ReloaderConfigs, { namespace: nameOf('evil'), name: config });
        return wordsAbout(JSON.stringify(status), nameOf(namespace));
      };
      const [existing, missing] = [await told('reach-0', 'bank'), await told('reach-0', 'tenant-1')];
      expect(existing).toBe(missing);
    },
  };
}

/** The text about a namespace in the status, without its name. */
function wordsAbout(status: string, namespace: string): string {
  const whole = new RegExp(`${namespace}(?![-\\w])`, 'g');
  const parts = status.split(/(?<=[.;,])\s|"/).filter((part) => part.search(whole) >= 0);
  return parts.map((part) => part.replaceAll(whole, 'NAMESPACE').replace(/\d+/g, '0')).join('\n');
}
