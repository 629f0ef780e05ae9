/** Faults between the operator and its notebook: conflicts, a missing notebook, two writers, a crash in the middle. */
import { type Client, kinds } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import type { Ref } from '../reloader/chronicle.ts';
import { LEDGER } from '../reloader/names.ts';
import { deleteNotes, notesOf, restoreNotes } from '../reloader/notes-acts.ts';
import { workload } from '../reloader/objects.ts';
import { noteNow } from '../reloader/records.ts';
import type { Scene } from '../reloader/scene.ts';
import { inStorm } from './play.ts';
import { conflict } from './refusals.ts';
import { type Asked, NAMESPACE, type Storm } from './storm.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;
const NOTES = { namespace: NAMESPACE, name: 'reloader-notes-shop.0' };

const isNote = ({ resource, name, verb }: Asked): boolean =>
  resource === 'configmaps' && verb === 'update' && name.startsWith('reloader-notes-');

async function adoptedWeb(s: Scene): Promise<Ref> {
  await s.secret('db', { password: 'one' });
  const web = await s.deployment('web', { annotations: auto, uses });
  await s.operator();
  await s.adopted(web);
  return web;
}

describe('A notes ConfigMap that is not as expected', () => {
  test('written by another writer: read again, and overwritten', () =>
    inStorm({ seed: 1 }, async (s) => {
      const web = await adoptedWeb(s);
      await touch(s.stage.client);
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      await s.stage.until('the note', () => noteNow(s.stage.chronicle, web)?.includes('"seq":1') === true);
    }));

  test('deleted: created from memory, with all that is in it', () =>
    inStorm({ seed: 1 }, async (s) => {
      const web = await adoptedWeb(s);
      await s.secret('cert', { key: 'one' });
      const other = await s.deployment('other', { annotations: auto, uses: [{ secret: 'cert' }] });
      await s.adopted(other);
      await deleteNotes(s.stage.client, s.stage.chronicle);
      // Only one workload is reloaded; the note of the other must be restored as well.
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1], [other, 0]);
      await s.stage.until('both notes', () => [web, other].every((ref) => noteNow(s.stage.chronicle, ref)));
    }));

  test.each<[string, (s: Scene, storm: Storm, adopted: number) => Promise<void>]>([
    ['deleted', (s, storm) => deleteNotes(s.stage.client, storm.chronicle)],
    ['restored', (s, storm, adopted) => restoreNotes(s.stage.client, storm.chronicle, adopted)],
  ])('%s while nothing changes: written again from memory within minutes', (_, act) =>
    inStorm({ seed: 1 }, async (s, storm) => {
      const web = await adoptedWeb(s);
      const adopted = storm.revision;
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      const isNoted = () => noteNow(storm.chronicle, web)?.includes('"seq":1') === true;
      await s.stage.until('the note', isNoted);
      await act(s, storm, adopted);
      expect(isNoted()).toBe(false);
      await s.stage.until('the note', isNoted, 310_000);
    }),
  );

  test('without the note of a reload whose answer was lost: noted when the ledger is removed', () => {
    const crash = { write: -1, moment: 'lost' as const };
    return inStorm({ seed: 1, crash }, async (s, storm) => {
      const web = await adoptedWeb(s);
      await s.stage.quiet();
      crash.write = storm.writes + 1;
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      expect(noteNow(storm.chronicle, web)).not.toContain('"seq":1');
      await s.merge(web, { metadata: { annotations: { [LEDGER]: null } } });
      await s.stage.until('the note', () => noteNow(storm.chronicle, web)?.includes('"seq":1') === true);
    });
  });

  test('a conflict on every write is reported after three, retried with backoff, and delays nothing else', () => {
    let refused = true;
    let writes = 0;
    const refuse = (asked: Asked) => {
      if (!isNote(asked)) return undefined;
      writes += 1;
      return refused ? conflict(asked) : undefined;
    };
    return inStorm({ seed: 1, refuse }, async (s) => {
      await s.secret('db', { password: 'one' });
      const web = await s.deployment('web', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
      });
      await s.operator();
      await s.adopted(web);
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      await s.stage.quiet(60_000);
      await s.secret('db', { password: 'three' });
      await s.conditionIs(config, 'NotebookContended', 'True');
      await s.rolled([web, 2]);
      writes = 0;
      await s.stage.quiet(300_000);
      expect(writes, 'a few in a minute').toBeLessThanOrEqual(20);
      refused = false;
      await s.stage.until(
        'the note',
        () => noteNow(s.stage.chronicle, web)?.includes('"seq":2') === true,
        60_000,
      );
      await s.secret('db', { password: 'four' });
      await s.rolled([web, 3]);
      await s.conditionIs(config, 'Degraded', 'False');
    });
  });
});

describe('A split of a large namespace', () => {
  /** A note has about 250 bytes: these need more than one ConfigMap. */
  const MANY = 200;

  async function crowd(s: Scene): Promise<Ref[]> {
    await s.secret('db', { password: 'one' });
    const refs: Ref[] = [];
    for (let index = 0; index < MANY; index++) {
      const name = `web-${index}`;
      const manifest = workload('Deployment', name, s.namespace, { annotations: auto, uses, replicas: 0 });
      await s.stage.client.create(kinds.Deployment, manifest, { fieldManager: 'user' });
      refs.push(s.ref('Deployment', name));
    }
    return refs;
  }

  test(
    'no piece is larger than 32 KB, and a restart finds every note',
    () =>
      inStorm({ seed: 1 }, async (s, storm) => {
        const refs = await crowd(s);
        const operator = await storm.startOperator();
        await s.stage.until('the notes', () => refs.every((ref) => s.record(ref)), 60_000);
        const pieces = notesOf(storm.chronicle);
        expect(pieces.length).toBeGreaterThan(1);
        for (const piece of pieces) {
          const { data } = storm.chronicle.now(piece) ?? {};
          expect(JSON.stringify(data).length).toBeLessThanOrEqual(32_768);
        }
        await operator.kill();
        await s.secret('db', { password: 'two' });
        await s.stage.quiet(5_000);
        await storm.startOperator();
        await s.stage.until('the reloads', () => refs.every((ref) => s.rollouts(ref) === 1), 120_000);
        await s.rolled(...refs.map((ref) => [ref, 1] as const));
      }),
    120_000,
  );
});

describe('Two leaders', () => {
  test('that both assume that they lead: one rollout, and the higher number counts', () =>
    inStorm({ seed: 1 }, async (s, storm) => {
      const web = await adoptedWeb(s);
      await storm.startOperator({ name: 'second' });
      await s.stage.quiet();
      for (const [index, password] of ['two', 'three', 'four'].entries()) {
        await s.secret('db', { password });
        await s.rolled([web, index + 1]);
      }
      await s.stage.until('the note', () => s.record(web)?.seq === 3, 120_000);
    }));
});

describe('A notebook from the past', () => {
  test('put back while the operator runs: what it remembers counts, and is written again', () =>
    inStorm({ seed: 1 }, async (s, storm) => {
      const web = await adoptedWeb(s);
      const backup = storm.revision;
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      await restoreNotes(s.stage.client, storm.chronicle, backup);
      await s.secret('db', { password: 'three' });
      await s.rolled([web, 2]);
      await s.stage.until(
        'the note',
        () => noteNow(storm.chronicle, web)?.includes('"seq":2') === true,
        60_000,
      );
    }));

  test('put back while it is down, and the ledger stripped: the mark says what was rolled out', () =>
    inStorm({ seed: 1 }, async (s, storm) => {
      const web = await adoptedWeb(s);
      const backup = storm.revision;
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      await s.running(web);
      await killAll(storm);
      await restoreNotes(s.stage.client, storm.chronicle, backup);
      await s.annotate(web, { ledger: null });
      await s.operator();
      await s.rolled([web, 1]);
      expect(s.record(web)?.seq).toBe(1);
      await s.secret('db', { password: 'three' });
      await s.rolled([web, 2]);
    }));
});

async function killAll(storm: Storm): Promise<void> {
  for (const operator of storm.alive) await operator.kill();
}

/** Adds only a label, as some tools do. */
async function touch(client: Client): Promise<void> {
  const body = { metadata: { labels: { touched: 'yes' } } };
  await client.patch(kinds.ConfigMap, NOTES, { type: 'merge', body }, { fieldManager: 'tool' });
}
