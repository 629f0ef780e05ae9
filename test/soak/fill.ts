/**
 * Fills what the operator remembers on purpose up to a limit: 10,000 events of the timeline, the Events of 4,096 objects
 * for each component, the last state of deleted objects. At the pace of a soak that would take hours, and look like a
 * leak all the while.
 *
 * In: the operator's own count of reloads. Out: more workloads than the limits, each reloaded for a ConfigMap and for a
 * Secret, and deleted; a part of them at a time.
 */
import { type Client, type KubernetesObject, kinds } from '@reloader/runtime';
import { poll } from '../control-plane/poll.ts';
import { workload } from '../reloader/objects.ts';

const WORKLOADS = 4_400;
const AT_ONCE = 200;
const SHARED = 'shared';
const USES = [{ configMap: SHARED }, { secret: SHARED }] as const;
const PATIENCE_MS = 300_000;

export async function fillMemories(client: Client, reloads: () => Promise<number>): Promise<void> {
  for (let from = 0; from < WORKLOADS; from += AT_ONCE) {
    const namespace = `fill-${from}`;
    await client.create(kinds.Namespace, { metadata: { name: namespace } });
    const metadata = { namespace, name: SHARED };
    await client.create(kinds.ConfigMap, { metadata, data: { key: 'first' } } as KubernetesObject);
    await client.create(kinds.Secret, { metadata, stringData: { key: 'first' } } as KubernetesObject);
    const names = Array.from({ length: AT_ONCE }, (_, index) => `fill-${from + index}`);
    // Without pods: they would take more time than everything else, and the operator remembers nothing about them.
    const options = { annotations: { auto: 'true' }, uses: USES, replicas: 0 };
    await Promise.all(
      names.map((name) => client.create(kinds.Deployment, workload('Deployment', name, namespace, options))),
    );
    for (const type of [kinds.ConfigMap, kinds.Secret]) {
      const before = await reloads();
      let content = 0;
      // Again until all are reloaded: a Deployment that was created a moment ago may be new enough not to need it.
      await poll(
        async () => {
          await client.patch(type, metadata, { type: 'merge', body: contentOf(type.kind, content++) });
          return (await reloads()) - before >= AT_ONCE;
        },
        { what: `${AT_ONCE} reloads`, timeout: PATIENCE_MS, every: 5_000 },
      );
    }
    await Promise.all(names.map((name) => client.delete(kinds.Deployment, { namespace, name })));
    await client.delete(kinds.Namespace, { name: namespace });
  }
}

function contentOf(kind: string, content: number): object {
  const key = `content ${content}`;
  return { data: { key: kind === 'Secret' ? Buffer.from(key).toString('base64') : key } };
}
