/** Alerts as probes: a tenant asks the operator about URLs and Secrets that the tenant cannot read. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import {
  type Receiver,
  startReceiver,
} from '../../../packages/operator/src/alerts/delivery/receiver.test.support.ts';
import { ReloaderConfigs } from '../../../packages/operator/src/crds/reloader-config.ts';
import { poll } from '../../control-plane/poll.ts';
import { freePorts } from '../../control-plane/ports.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack } from '../harness.ts';

const PATIENCE_MS = 60_000;

/** Pairs that must look the same to the tenant: the first exists, the second does not. */
interface Probes {
  readonly [name: string]: Readonly<Record<string, unknown>>;
}

async function probes(open: URL): Promise<Probes> {
  const [closed = 1] = await freePorts(1);
  const at = (host: string, port: number | string): { url: string } => ({ url: `http://${host}:${port}/x` });
  const both = (name: string, host: string): Probes => ({
    [`${name}-open`]: at(host, open.port),
    [`${name}-closed`]: at(host, closed),
  });
  const secret = (name: string, key: string): object => ({ secretRef: { name, key } });
  return {
    ...both('loopback', '127.0.0.1'),
    ...both('mapped', '[::ffff:127.0.0.1]'),
    ...both('nat64', '[64:ff9b::7f00:1]'),
    ...both('local-nat64', '[64:ff9b:1::7f00:1]'),
    ...both('six-to-four', '[2002:7f00:1::]'),
    ...both('translated', '[::ffff:0:127.0.0.1]'),
    ...both('unique-local', '[fd00::1]'),
    ...both('private', '10.96.0.1'),
    ...both('service', 'kubernetes.default.svc'),
    ...both('short', 'kubernetes'),
    ...both('localhost', 'localhost'),
    'secret-open': { ...secret('theirs', 'password') },
    'secret-closed': { ...secret('missing', 'password') },
    'key-open': { ...secret('theirs', 'password') },
    'key-closed': { ...secret('theirs', 'missing') },
  };
}

export function probesByAlert(): Attack {
  let receiver: Receiver;
  let all: Probes = {};
  return {
    title: 'probes of networks and Secrets through alerts',
    flags: ['--alert-group-window=0s'],
    async prepare({ client, namespace }) {
      receiver = await startReceiver([{ status: 418 }]);
      all = await probes(receiver.url);
      const evil = await namespace('evil');
      for (const name of ['trigger', 'theirs'])
        await client.create(kinds.Secret, {
          metadata: { namespace: evil, name },
          stringData: { key: 'one', password: 'T0K3N' },
        });
      await client.create(
        kinds.Deployment,
        workload('Deployment', 'web', evil, { uses: [{ secret: 'trigger' }] }),
      );
      const isUp = async (): Promise<boolean> => {
        const live = await client.get(kinds.Deployment, { namespace: evil, name: 'web' });
        return (live as { status?: { readyReplicas?: number } }).status?.readyReplicas === 1;
      };
      await poll(isUp, { what: "the attacker's pod", timeout: 30_000 });
      for (const [name, channel] of Object.entries(all)) {
        await client.create(ReloaderConfigs, {
          metadata: { namespace: evil, name },
          spec: {
            watchedResources: { secrets: ['trigger'] },
            targets: [{ kind: 'Deployment', name: 'web' }],
            alerts: { slack: channel },
          },
        });
      }
    },
    async strike({ client, nameOf }) {
      const key = { namespace: nameOf('evil'), name: 'trigger' };
      await client.patch(kinds.Secret, key, { type: 'merge', body: { stringData: { key: 'two' } } });
      const isOver = async (): Promise<boolean> => {
        const { items } = await client.list(ReloaderConfigs, { namespace: nameOf('evil') });
        return items.every(({ status }) => alertOf(status) !== undefined);
      };
      await poll(isOver, { what: 'every probe to be answered', timeout: PATIENCE_MS });
    },
    async judge({ client, nameOf }, victim) {
      expect(receiver.received, 'requests that reached the loopback of the operator').toEqual([]);
      const told = async (name: string): Promise<string> => {
        const { status } = await client.get(ReloaderConfigs, { namespace: nameOf('evil'), name });
        return (alertOf(status) ?? '').replace(/"(?:password|missing)"|(?:theirs|missing)/g, 'NAME');
      };
      for (const open of Object.keys(all).filter((name) => name.endsWith('-open')))
        expect(await told(open), open).toBe(await told(open.replace('-open', '-closed')));
      expect(victim.log()).not.toContain('T0K3N');
    },
  };
}

/** The message of the status about alerts; undefined while there is none. */
function alertOf(status: unknown): string | undefined {
  const { conditions = [] } = (status ?? {}) as { conditions?: { reason?: string; message?: string }[] };
  return conditions.find(({ message }) => message?.includes('slack'))?.message;
}
