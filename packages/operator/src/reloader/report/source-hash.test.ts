import { startMinicluster } from '@reloader/minicluster';
import { createClient, kinds } from '@reloader/runtime';
import { createCapturingLogger, FakeInformer, recordWrites, VirtualClock } from '@reloader/runtime/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { SourceFacts } from '../model/source-facts.ts';
import { sourceFacts } from '../want/world.test.support.ts';
import { LogLines } from './log-lines.ts';
import { reportSources } from './source-events.ts';
import { SourceHashWriter } from './source-hash.ts';

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

describe('the digest on a source', () => {
  test('is written after a change, the newest only, and not for what changed nothing', async () => {
    const clock = new VirtualClock();
    const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
    const inner = createClient({ transport: cluster.transport(), clock });
    const { client, writes } = recordWrites(inner);
    const log = createCapturingLogger();
    const writer = new SourceHashWriter(client, log.logger);
    const stop = new AbortController();
    const running = writer.start({ stopping: stop.signal, abort: stop.signal });
    close = async () => {
      stop.abort();
      await running;
      await inner.close();
      await cluster.stop();
    };
    const key = { namespace: 'default', name: 'credentials' };
    await inner.create(kinds.Secret, { metadata: key, data: { password: 'c2VjcmV0' } });
    writer.sourceChanged('Secret', key, 'one', 'two');
    writer.sourceChanged('Secret', key, 'two', 'three');
    writer.sourceChanged('Secret', key, 'three', 'three');
    writer.sourceChanged('ConfigMap', { ...key, name: 'gone' }, 'one', 'two');
    writer.sourceChanged('ConfigMap', { ...key, name: 'deleted' }, 'one', undefined);
    writer.sourceChanged('ConfigMap', { ...key, name: 'same' }, 'one', 'one');
    writer.sourceChanged('SecretProviderClass', key, 'one', 'two');
    await clock.settle();
    const { metadata, data } = await inner.get(kinds.Secret, key);
    expect(metadata.annotations).toEqual({ 'reloader.stakater.com/last-hash': 'three' });
    expect(data).toEqual({ password: 'c2VjcmV0' });
    expect(writes.map(({ target }) => target)).toEqual([
      'secrets default/credentials',
      'configmaps default/gone',
    ]);
    expect(log.messages()).toEqual([]);
  });
});

describe('events of sources', () => {
  test('become reports, without the first list and what is out of scope', () => {
    const informer = new FakeInformer<SourceFacts>(kinds.Secret);
    const reports: unknown[][] = [];
    const source = (digest: string, namespace = 'shop') =>
      sourceFacts({ kind: 'Secret', name: 'credentials', namespace, digest });
    informer.set(source('one'));
    const stop = reportSources({
      reporter: {
        sourceChanged: (kind, { namespace, name }, ...rest) =>
          void reports.push([`${kind} ${namespace}/${name}`, ...rest]),
      },
      informers: [informer],
      inScope: (namespace) => namespace !== 'hidden',
      targets: (_ref, looks) => looks.length,
      tellsGenerated: false,
    });
    informer.sync();
    informer.set(source('two'));
    informer.set(source('two'));
    informer.set(source('one', 'hidden'));
    informer.set(source('one', 'other'));
    informer.remove({ namespace: 'shop', name: 'credentials' });
    expect(reports).toEqual([
      ['Secret shop/credentials', 'one', 'two', 2, false],
      ['Secret shop/credentials', 'two', 'two', 0, false],
      ['Secret other/credentials', undefined, 'one', 1, false],
      ['Secret shop/credentials', 'two', undefined, 1, false],
    ]);
    stop();
    expect(informer.handlerCount).toBe(0);
  });

  test.each([
    [false, 0, []],
    [
      true,
      1,
      ['ConfigMap created', 'Found targets for reload', 'ConfigMap data changed', 'Found targets for reload'],
    ],
  ])('what we made ourselves is news only if it leads to reloads (%s)', (tellsGenerated, targets, lines) => {
    const informer = new FakeInformer<SourceFacts>(kinds.ConfigMap);
    const log = createCapturingLogger('debug');
    const counted: number[] = [];
    const logLines = new LogLines(log.logger);
    reportSources({
      reporter: {
        sourceChanged: (kind, ref, before, after, workloads, ownMaking) => {
          counted.push(workloads);
          logLines.sourceChanged(kind, ref, before, after, workloads, ownMaking);
        },
      },
      informers: [informer],
      inScope: () => true,
      targets: () => 1,
      tellsGenerated,
    });
    informer.sync();
    for (const digest of ['one', 'two']) informer.set(sourceFacts({ name: 'made', digest, generated: true }));
    expect(counted).toEqual([targets, targets]);
    expect(log.entries.map(({ message }) => message)).toEqual(lines);
  });
});
