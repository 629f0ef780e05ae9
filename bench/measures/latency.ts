import { performance } from 'node:perf_hooks';
import { createClient, createInformer, kinds, loadConfig } from '@reloader/runtime';
import { type Measure, median, ms, quantile, times } from '../measure.ts';

const CHANGES = 200;

export const latency: Measure = {
  name: 'latency',
  title: 'From a write to the handler',
  how: `${CHANGES} changes of one ConfigMap, one after the other, each seen by a bare watch and by an informer handler in the same process. The time is from sending the PATCH to the event.`,
  async run(cluster) {
    const running = await cluster();
    const client = createClient({ config: await loadConfig({ kubeconfig: running.kubeconfig }) });
    const writer = createClient({ config: await loadConfig({ kubeconfig: running.kubeconfig }) });
    const stop = new AbortController();
    const key = { namespace: 'default', name: 'latency' };
    await writer.apply(
      kinds.ConfigMap,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: key },
      { fieldManager: 'bench' },
    );
    const fieldSelector = 'metadata.name=latency';
    const seen = { bare: new Map<string, number>(), handler: new Map<string, number>() };
    const stream = await client.watch(kinds.ConfigMap, {
      namespace: 'default',
      fieldSelector,
      signal: stop.signal,
    });
    const following = (async () => {
      for await (const event of stream) {
        if (event.type !== 'BOOKMARK')
          seen.bare.set(event.object.metadata.resourceVersion, performance.now());
      }
    })().catch(() => undefined);
    const informer = createInformer({ client, type: kinds.ConfigMap, namespace: 'default', fieldSelector });
    informer.addHandler(({ object }) => {
      seen.handler.set(object.metadata.resourceVersion, performance.now());
    });
    const ran = informer.run(stop.signal);
    await informer.whenSynced();
    const delays = { bare: [] as number[], handler: [] as number[] };
    for (let index = 0; index < CHANGES; index++) {
      const began = performance.now();
      const written = await writer.patch(kinds.ConfigMap, key, {
        type: 'merge',
        body: { data: { n: String(index) } },
      });
      const version = written.metadata.resourceVersion;
      while (!seen.bare.has(version) || !seen.handler.has(version))
        await new Promise((resolve) => setImmediate(resolve));
      delays.bare.push((seen.bare.get(version) ?? 0) - began);
      delays.handler.push((seen.handler.get(version) ?? 0) - began);
    }
    stop.abort();
    await Promise.all([following, ran]);
    await Promise.all([client.close(), writer.close()]);
    const ratio = median(delays.handler) / median(delays.bare);
    return [
      {
        what: 'half of the changes within',
        ours: `${ms(median(delays.handler))}, ${times(ratio)} the floor`,
        floor: ms(median(delays.bare)),
        target: 'at most 1.5 times',
        met: ratio <= 1.5,
      },
      {
        what: '99 of 100 within',
        ours: ms(quantile(delays.handler, 0.99)),
        floor: ms(quantile(delays.bare, 0.99)),
      },
    ];
  },
};
