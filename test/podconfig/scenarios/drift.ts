/** Edits of generated ConfigMaps by others. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import {
  GENERATED_BY,
  POD_UID,
  PodConfigMapConfigs,
} from '../../../packages/operator/src/podconfig/model.ts';
import type { Scenario } from '../scenarios.ts';

const MADE = 'pod-web-from-meta-cfg';

/** An edit, of which nothing remains. */
function repaired(id: string, what: string, body: object): Scenario {
  return {
    id,
    rule: `a generated ConfigMap ${what} is right again`,
    async play(stage) {
      await stage.pod('web');
      await stage.config('meta');
      await stage.ground.until(async () => expect(await stage.names()).toEqual([MADE]));
      const before = await stage.configMap(MADE);
      await stage.edit(MADE, body);
      await stage.ground.until(async () => {
        const { data, metadata } = await stage.configMap(MADE);
        expect(data).toEqual(before.data);
        expect(metadata.labels).toMatchObject(before.metadata.labels ?? {});
        expect(metadata.ownerReferences).toEqual(before.metadata.ownerReferences);
      });
      await stage.ground.settle();
      expect(await stage.names()).toEqual([MADE]);
    },
  };
}

export const drift: readonly Scenario[] = [
  repaired('edited-data', 'whose data was edited', { data: { phase: 'Mine', more: 'x', podName: null } }),
  repaired('lost-label', 'whose label was taken away', { metadata: { labels: { [GENERATED_BY]: null } } }),
  repaired('lost-labels', 'whose labels were all taken away', { metadata: { labels: null } }),
  repaired('other-label', 'whose label was changed', { metadata: { labels: { [GENERATED_BY]: 'other' } } }),
  repaired('other-uid', "whose pod's uid was changed", { metadata: { labels: { [POD_UID]: 'other' } } }),
  repaired('lost-owner', 'whose owner was taken away', { metadata: { ownerReferences: null } }),
  repaired('second-owner', 'that was given another owner', {
    metadata: {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', uid: 'none' }],
    },
  }),
  repaired('immutable', 'that was made immutable with other data', { immutable: true, data: { phase: 'x' } }),
  {
    id: 'deleted',
    rule: 'a generated ConfigMap that was deleted comes back',
    async play(stage) {
      await stage.pod('web');
      await stage.config('meta');
      await stage.ground.until(async () => expect(await stage.names()).toEqual([MADE]));
      const { metadata } = await stage.configMap(MADE);
      await stage.client.delete(kinds.ConfigMap, stage.key(MADE));
      await stage.ground.until(async () =>
        expect((await stage.configMap(MADE)).metadata.uid).not.toBe(metadata.uid),
      );
    },
  },
  {
    id: 'additions',
    rule: 'further labels and binaryData stay',
    async play(stage) {
      await stage.pod('web');
      await stage.config('meta');
      await stage.ground.until(async () => expect(await stage.names()).toEqual([MADE]));
      await stage.edit(MADE, { metadata: { labels: { mine: '1' } }, binaryData: { blob: 'AAEC' } });
      await stage.edit(MADE, { data: { phase: 'Mine' } });
      await stage.ground.until(async () => {
        const { data, binaryData, metadata } = await stage.configMap(MADE);
        expect(data?.phase).toBe('Pending');
        expect(binaryData).toEqual({ blob: 'AAEC' });
        expect(metadata.labels).toMatchObject({ mine: '1', [GENERATED_BY]: 'meta' });
      });
    },
  },
  {
    id: 'copies',
    rule: "somebody's copy of a generated ConfigMap is theirs, whatever it copied",
    async play(stage) {
      await stage.pod('web');
      await stage.config('meta');
      await stage.ground.until(async () => expect(await stage.names()).toEqual([MADE]));
      const { data = {}, metadata } = await stage.configMap(MADE);
      const { labels = {}, ownerReferences = [] } = metadata;
      const copy = { metadata: { ...stage.key('copy'), labels, ownerReferences }, data };
      await stage.client.create(kinds.ConfigMap, copy);
      await stage.relabel('web', { x: '1' });
      await stage.client.delete(PodConfigMapConfigs, stage.key('meta'));
      await stage.ground.until(async () => expect(await stage.names()).toEqual(['copy']));
      await stage.ground.settle();
      expect(await stage.names()).toEqual(['copy']);
    },
  },
];
