/**
 * Templates that never end, grow without bounds or are unexpectedly expensive, in alerts and in generated ConfigMaps.
 */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import {
  type Receiver,
  startReceiver,
} from '../../../packages/operator/src/alerts/delivery/receiver.test.support.ts';
import { ReloaderConfigs } from '../../../packages/operator/src/crds/reloader-config.ts';
import { PodConfigMapConfigs } from '../../../packages/operator/src/podconfig/model.ts';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack, Ground } from '../harness.ts';
import { ENDLESS, HOSTILE_TEMPLATES } from '../hostile-templates.ts';

const PATIENCE_MS = 60_000;
const CHANNELS = ['slack', 'teams', 'googleChat', 'customWebhook'] as const;

/** The custom resource definition refuses longer ones. */
const FOR_ALERTS = HOSTILE_TEMPLATES.filter((template) => Buffer.byteLength(template) <= 8192);

/** Every template, spread over the channels of as many ReloaderConfigs as needed. */
export function templatesInAlerts(): Attack {
  let receiver: Receiver;
  return {
    title: `${FOR_ALERTS.length} hostile templates in alerts`,
    flags: ['--alert-group-window=0s', '--alert-allow-internal'],
    async prepare(ground) {
      receiver = await startReceiver();
      await evilDeployment(ground);
      const { client } = ground;
      for (let index = 0; index < FOR_ALERTS.length; index += CHANNELS.length) {
        const channels = FOR_ALERTS.slice(index, index + CHANNELS.length).map((template, at) => [
          CHANNELS[at],
          { url: receiver.url.href, template },
        ]);
        await client.create(ReloaderConfigs, {
          metadata: { namespace: ground.nameOf('evil'), name: `bomb-${index}` },
          spec: {
            watchedResources: { secrets: ['bomb'] },
            targets: [{ kind: 'Deployment', name: 'bomb' }],
            alerts: Object.fromEntries(channels),
          },
        });
      }
    },
    async strike({ client, nameOf }, victim) {
      const key = { namespace: nameOf('evil'), name: 'bomb' };
      await client.patch(kinds.Secret, key, { type: 'merge', body: { stringData: { key: 'two' } } });
      const isOver = async (): Promise<boolean> => ended(await victim.metrics()) >= FOR_ALERTS.length;
      await poll(isOver, { what: 'every alert to be sent or given up', timeout: PATIENCE_MS });
    },
    async judge({ client, nameOf }) {
      const { items } = await client.list(ReloaderConfigs, { namespace: nameOf('evil') });
      const told = items.filter(({ status }) => JSON.stringify(status ?? {}).includes('template'));
      expect(told.length, 'configs that say what is wrong with their templates').toBeGreaterThanOrEqual(
        Math.floor(ENDLESS.length / CHANNELS.length),
      );
    },
  };
}

/** Alerts that were sent, or given up. */
function ended(metrics: string): number {
  const counts = metrics.matchAll(/^reloader_alerts_total\{.*result="(?:sent|failed)"\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The same in ConfigMaps for pods, created before the start, so that every start has to process them. */
export function templatesInConfigMaps(): Attack {
  return {
    title: `${HOSTILE_TEMPLATES.length} hostile templates for ConfigMaps, at the start`,
    flags: ['--controllers=reloader,podconfig'],
    async prepare(ground) {
      await evilDeployment(ground);
      for (const [index, template] of HOSTILE_TEMPLATES.entries()) {
        await ground.client.create(PodConfigMapConfigs, {
          metadata: { namespace: ground.nameOf('evil'), name: `bomb-${index}` },
          spec: { configMapDataTemplate: { bomb: template } },
        });
      }
    },
    async strike({ client, nameOf }) {
      const isOver = async (): Promise<boolean> => {
        const { items } = await client.list(PodConfigMapConfigs, { namespace: nameOf('evil') });
        return items.every(({ status }) => status?.conditions?.some(({ type }) => type === 'Ready'));
      };
      await poll(isOver, { what: 'every config to have a verdict', timeout: PATIENCE_MS });
    },
    async judge({ client, nameOf }) {
      const stopped = async (): Promise<number> => {
        const { items } = await client.list(PodConfigMapConfigs, { namespace: nameOf('evil') });
        return items.filter(({ status }) => JSON.stringify(status).includes('InvalidTemplate')).length;
      };
      await poll(async () => (await stopped()) >= ENDLESS.length, {
        what: 'every endless template to be told as InvalidTemplate',
        timeout: PATIENCE_MS,
      });
    },
  };
}

async function evilDeployment({ client, namespace }: Ground): Promise<void> {
  const evil = await namespace('evil');
  await client.create(kinds.Secret, {
    metadata: { namespace: evil, name: 'bomb' },
    stringData: { key: 'one' },
  });
  await client.create(kinds.Deployment, workload('Deployment', 'bomb', evil, { uses: [{ secret: 'bomb' }] }));
  const isUp = async (): Promise<boolean> => {
    const live = (await client.get(kinds.Deployment, { namespace: evil, name: 'bomb' })) as {
      status?: { readyReplicas?: number };
    };
    return live.status?.readyReplicas === 1;
  };
  await poll(isUp, { what: "the attacker's pod", timeout: 30_000 });
}
