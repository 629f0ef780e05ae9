import { startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, createRegistry, kinds } from '@reloader/runtime';
import { createCapturingLogger, metricValue, recordWrites, VirtualClock } from '@reloader/runtime/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import { NO_BASE } from '../ledger/note.ts';
import { NOTES_LABEL } from '../model/annotations.ts';
import type { Note } from '../model/ledger.ts';
import type { WorkloadRef } from '../model/workload.ts';
import { Notebook, type NotebookOptions } from './notebook.ts';
import { readNotes } from './read.ts';

const NAMESPACE = 'reloader';
const web: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'web' };
const named = (name: string): WorkloadRef => ({ ...web, name });
const note = (seq: number, parts: Partial<Note> = {}): Note => ({
  record: ledgerWith({ seq, sources: { 'cm/a': `content-${seq}` } }),
  base: NO_BASE,
  ...parts,
});
const never = new AbortController().signal;

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

async function setUp() {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  const admin = createClient({ transport: cluster.transport(), clock });
  await admin.create(kinds.Namespace, { metadata: { name: NAMESPACE } });
  const ended: (() => Promise<void>)[] = [];
  stop = async () => {
    for (const end of ended) await end();
    await admin.close();
    await cluster.stop();
  };

  /** One process that is leader. */
  const open = async (
    change: (client: Client) => Client = (client) => client,
    options: Partial<NotebookOptions> = {},
  ) => {
    const own = createClient({ transport: cluster.transport(), clock });
    const { client, writes } = recordWrites(change(own));
    const log = createCapturingLogger();
    const metrics = createRegistry();
    const notebook = new Notebook({
      client,
      clock,
      logger: log.logger,
      metrics,
      namespace: NAMESPACE,
      ...options,
    });
    const stopping = new AbortController();
    const abort = new AbortController();
    const running = notebook.runnables.map((runnable) =>
      runnable.start({ stopping: stopping.signal, abort: abort.signal }),
    );
    let over = false;
    const end = async (kill: boolean): Promise<void> => {
      if (over) return;
      over = true;
      if (kill) abort.abort(new Error('killed'));
      stopping.abort(new Error('stopped'));
      await Promise.all(running);
      await own.close();
    };
    ended.push(() => end(true));
    await notebook.ready;
    return { notebook, writes, log, metrics, end: () => end(false), kill: () => end(true) };
  };
  const pieces = async () => {
    const { items } = await admin.list(kinds.ConfigMap, { namespace: NAMESPACE, labelSelector: NOTES_LABEL });
    return items;
  };
  const stored = async (ref: WorkloadRef) => {
    const notes = await readNotes(admin, NAMESPACE, never);
    const parsed = notes?.(ref);
    return parsed?.kind === 'note' ? parsed.note.record.seq : undefined;
  };
  return { clock, cluster, admin, open, pieces, stored };
}

describe('a note', () => {
  it('is known at once, and stored 100 ms later', async () => {
    const { open, clock, stored } = await setUp();
    const { notebook } = await open();
    notebook.put(web, note(1));
    expect(notebook.note(web)).toEqual({ kind: 'note', note: note(1) });
    await clock.advance(99);
    expect(await stored(web)).toBeUndefined();
    await clock.advance(1);
    expect(await stored(web)).toBe(1);
  });

  it('is written with others, and each piece at most once a second', async () => {
    const { open, clock, stored } = await setUp();
    const { notebook, writes } = await open();
    for (let index = 0; index < 40; index++) notebook.put(named(`web-${index}`), note(1));
    await clock.advance(100);
    expect(writes).toHaveLength(1);
    for (let round = 2; round < 12; round++) {
      notebook.put(web, note(round));
      await clock.advance(90);
    }
    expect(writes.length).toBeLessThanOrEqual(2);
    await clock.advance(1_000);
    expect(await stored(web)).toBe(11);
    expect(writes).toHaveLength(2);
  });

  it('of many workloads that are noted one after the other for three seconds is written twice', async () => {
    const { open, clock, pieces } = await setUp();
    const { notebook, writes } = await open();
    for (let index = 0; index < 60; index++) {
      notebook.put(named(`web-${index}`), note(0));
      await clock.advance(50);
    }
    await clock.advance(1_000);
    expect(writes).toHaveLength(2);
    const [piece] = await pieces();
    expect(Object.keys(piece?.data ?? {})).toHaveLength(60);
  });

  it('waits 5 s at most while others keep coming', async () => {
    const { open, clock, stored } = await setUp();
    const { notebook } = await open();
    notebook.put(named('first'), note(0));
    await clock.advance(100);
    notebook.put(web, note(1));
    for (let index = 0; index < 50; index++) {
      notebook.put(named(`web-${index}`), note(0));
      await clock.advance(100);
    }
    expect(await stored(web)).toBe(1);
  });

  it('that a caller waits for is stored at once', async () => {
    const { open, clock, stored } = await setUp();
    const { notebook } = await open();
    notebook.put(named('other'), note(1));
    await clock.advance(100);
    notebook.put(web, note(1, { evicting: 'x' }));
    await notebook.stored(web, never);
    expect(await stored(web)).toBe(1);
  });

  it('is read by the next process before anything is decided', async () => {
    const { open, clock } = await setUp();
    const first = await open();
    first.notebook.put(web, note(3, { evicting: 'x' }));
    await clock.advance(100);
    await first.kill();
    const second = await open();
    expect(second.notebook.note(web)).toEqual({ kind: 'note', note: note(3, { evicting: 'x' }) });
    expect([...second.notebook.workloads()]).toEqual([web]);
    expect(second.writes).toEqual([]);
  });

  it('that waits is written when the process ends', async () => {
    const { open, stored } = await setUp();
    const { notebook, end } = await open();
    notebook.put(web, note(2));
    await end();
    expect(await stored(web)).toBe(2);
  });

  it('leaves no signal behind that depends on the end of the process: Node 20 would keep each until then', async () => {
    const { clock, open } = await setUp();
    const any = vi.spyOn(AbortSignal, 'any');
    try {
      const { notebook, writes } = await open();
      for (let seq = 1; seq <= 5; seq++) {
        notebook.put(web, note(seq));
        await clock.advance(5_000);
      }
      expect(writes).toHaveLength(5);
      expect(any).not.toHaveBeenCalled();
    } finally {
      any.mockRestore();
    }
  });

  it('of a workload that is gone stays ten minutes, unless it comes back', async () => {
    const { open, clock, stored } = await setUp();
    const { notebook } = await open();
    for (const name of ['gone', 'back']) notebook.put(named(name), note(1));
    for (const name of ['gone', 'back']) notebook.forget(named(name));
    await clock.advance(540_000);
    expect(await stored(named('gone'))).toBe(1);
    notebook.put(named('back'), note(1));
    await clock.advance(130_000);
    expect(await stored(named('gone'))).toBeUndefined();
    expect(await stored(named('back'))).toBe(1);
  });

  it('of 10,000 workloads of a namespace costs one write of at most 32 KB when it changes', async () => {
    const { open, clock, pieces } = await setUp();
    const { notebook, writes } = await open();
    for (let index = 0; index < 10_000; index++) notebook.put(named(`web-${index}`), note(1));
    await clock.advance(120_000);
    const before = await pieces();
    expect(before.length).toBeGreaterThan(20);
    for (const { data } of before) expect(JSON.stringify(data).length).toBeLessThanOrEqual(32_768);
    const count = writes.length;
    notebook.put(named('web-77'), note(2));
    await clock.advance(2_000);
    expect(writes).toHaveLength(count + 1);
  });
});

describe('a namespace that is gone', () => {
  it('leaves no piece in memory, and its ConfigMap is used again when it comes back', async () => {
    const { open, clock, pieces, stored } = await setUp();
    const { notebook, metrics } = await open();
    notebook.put(web, note(1));
    await clock.advance(1_000);
    notebook.forget(web);
    await clock.advance(700_000);
    expect((await pieces()).map(({ data = {} }) => Object.keys(data))).toEqual([[]]);
    notebook.put(web, note(2));
    await clock.advance(5_000);
    expect(await stored(web)).toBe(2);
    expect(await pieces()).toHaveLength(1);
    // Memory held nothing of the piece any more, so the first attempt was a create.
    expect(metricValue(metrics, 'reloader_notebook_writes_total', { result: 'conflict' })).toBe(1);
    expect(notebook.trouble).toBeUndefined();
  });
});

describe('a split', () => {
  /** A piece that is nearly full, and a note that outgrows it. */
  const large = (seq: number, bytes: number): Note => note(seq, { evicting: 'x'.repeat(bytes) });

  it.each([
    ['before the copy is written', 0],
    ['between the copy and the removal', 1],
    ['behind both', 2],
  ])('is survived when the process is killed %s: each note once, and the newest', async (_, allowed) => {
    const { open, clock, pieces, stored } = await setUp();
    let left = Number.POSITIVE_INFINITY;
    const first = await open((client) => {
      const counted = <T>(write: () => Promise<T>): Promise<T> =>
        left-- > 0 ? write() : new Promise<T>(() => undefined);
      return {
        ...client,
        create: (type, object, options) =>
          counted(() => client.create(type, object as never, options as never)),
        update: (type: never, object: never, options: never) =>
          counted(() => client.update(type, object, options)),
      };
    });
    const names = Array.from({ length: 8 }, (_unused, index) => `web-${index}`);
    for (const name of names) first.notebook.put(named(name), large(1, 3_500));
    await clock.advance(5_000);
    expect(await pieces()).toHaveLength(1);
    left = allowed;
    first.notebook.put(named('web-3'), large(2, 12_000));
    await clock.advance(5_000);
    // Do not wait for its last write, which would hang forever.
    void first.kill();
    const second = await open();
    await clock.advance(5_000);
    for (const name of names) {
      const expected = name === 'web-3' && allowed > 0 ? 2 : 1;
      expect(second.notebook.note(named(name)), name).toMatchObject({ note: { record: { seq: expected } } });
      expect(await stored(named(name)), name).toBe(expected);
    }
    const keys = (await pieces()).flatMap(({ data = {} }) => Object.keys(data));
    expect(keys.sort()).toEqual(names.map((name) => `Deployment.${name}`));
  });
});

describe('another writer', () => {
  const foreign = (ref: WorkloadRef, seq: number) => async (admin: Client) => {
    const key = { namespace: NAMESPACE, name: `reloader-notes-${ref.namespace}.0` };
    const { data = {} } = await admin.get(kinds.ConfigMap, key);
    const text = JSON.stringify({ ...JSON.parse(data['Deployment.web'] ?? '{}'), n: 50 });
    const changed = text.replace(/"seq":\d+/, `"seq":${seq}`);
    await admin.patch(kinds.ConfigMap, key, { type: 'merge', body: { data: { 'Deployment.web': changed } } });
  };

  it('of a higher number wins, and the engine is told', async () => {
    const { open, clock, admin, stored } = await setUp();
    const told: WorkloadRef[] = [];
    const { notebook } = await open(undefined, { onForeign: (ref) => told.push(ref) });
    notebook.put(web, note(1));
    await clock.advance(100);
    await foreign(web, 7)(admin);
    notebook.put(named('other'), note(2));
    await clock.advance(3_000);
    expect(told).toEqual([web]);
    expect(notebook.note(web)).toMatchObject({ note: { record: { seq: 7 } } });
    expect(await stored(web)).toBe(7);
    expect(await stored(named('other'))).toBe(2);
  });

  it('of the same or a lower number loses', async () => {
    const { open, clock, admin, stored } = await setUp();
    const { notebook } = await open();
    notebook.put(web, note(5));
    await clock.advance(100);
    await foreign(web, 2)(admin);
    notebook.put(named('other'), note(2));
    await clock.advance(3_000);
    expect(await stored(web)).toBe(5);
  });

  it('that keeps writing is reported as a condition, and further attempts are delayed', async () => {
    const { open, clock, admin } = await setUp();
    const { notebook, writes } = await open();
    notebook.put(web, note(1));
    await clock.advance(100);
    for (let round = 2; round < 8; round++) {
      await foreign(web, 0)(admin);
      notebook.put(web, note(round));
      await clock.advance(1_000);
    }
    expect(notebook.trouble).toMatchObject({ reason: 'NotebookContended' });
    expect(writes.length).toBeLessThan(12);
    await clock.advance(40_000);
    expect(notebook.trouble).toBeUndefined();
  });

  it.each([
    [59_000, 'NotebookContended'],
    [61_000, undefined],
  ])('three times within %i ms gives %s', async (withinMs, reason) => {
    const { open, clock, admin } = await setUp();
    const { notebook } = await open();
    notebook.put(web, note(1));
    await clock.advance(100);
    for (const [round, waitMs] of [
      [2, withinMs / 2],
      [3, withinMs / 2],
      [4, 200],
    ] as const) {
      await foreign(web, 0)(admin);
      notebook.put(web, note(round));
      await clock.advance(waitMs);
    }
    expect(notebook.trouble?.reason).toBe(reason);
  });

  it('that causes a conflict each time: we retry at most twice a minute, and stop once a write succeeds', async () => {
    const { open, clock, admin, stored } = await setUp();
    const piece = { namespace: NAMESPACE, name: 'reloader-notes-shop.0' };
    let tries = 0;
    let fights = true;
    const { notebook } = await open((client) => ({
      ...client,
      async update(type: never, object: never, options: never) {
        tries += 1;
        const body = { metadata: { annotations: { fight: `${tries}` } } };
        if (fights) await admin.patch(kinds.ConfigMap, piece, { type: 'merge', body });
        return client.update(type, object, options);
      },
    }));
    notebook.put(web, note(1));
    await clock.advance(100);
    notebook.put(web, note(2));
    await clock.advance(60_000);
    for (let minute = 0; minute < 10; minute++) {
      const before = tries;
      await clock.advance(60_000);
      expect(tries - before).toBeLessThanOrEqual(2);
      expect(notebook.trouble?.reason).toBe('NotebookContended');
    }
    fights = false;
    await clock.advance(31_000);
    expect(notebook.trouble).toBeUndefined();
    expect(await stored(web)).toBe(2);
    const after = tries;
    await clock.advance(120_000);
    expect(tries).toBe(after);
  });

  it('that deletes a piece: it is created from memory', async () => {
    const { open, clock, admin, stored } = await setUp();
    const { notebook } = await open();
    notebook.put(web, note(1));
    await clock.advance(100);
    await admin.delete(kinds.ConfigMap, { namespace: NAMESPACE, name: 'reloader-notes-shop.0' });
    notebook.put(named('other'), note(1));
    await clock.advance(3_000);
    expect(await stored(web)).toBe(1);
    expect(await stored(named('other'))).toBe(1);
  });
});

describe('without rights', () => {
  const limited = async (
    cluster: Awaited<ReturnType<typeof setUp>>['cluster'],
    admin: Client,
    verbs: string[],
  ) => {
    cluster.addToken('limited', { name: 'limited', groups: [] });
    await admin.create(kinds.ClusterRole, {
      metadata: { name: 'limited' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
    } as kinds.PlainObject);
    await admin.create(kinds.ClusterRoleBinding, {
      metadata: { name: 'limited' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'limited' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'limited' }],
    } as kinds.PlainObject);
  };

  it.each([
    ['to read', ['watch']],
    ['to write', ['get', 'list']],
  ])('%s, notes live in memory, nobody waits for them, and that is said once', async (_, verbs) => {
    const { open, clock, cluster, admin, pieces } = await setUp();
    await limited(cluster, admin, verbs);
    const client = createClient({ transport: cluster.transport({ token: 'limited' }), clock });
    const told: string[] = [];
    const { notebook, log, metrics } = await open(() => client, {
      onTrouble: () => void told.push('trouble'),
    });
    for (let round = 1; round < 5; round++) {
      notebook.put(web, note(round));
      await clock.advance(70_000);
    }
    expect(told).toEqual(['trouble']);
    await notebook.stored(web, never);
    expect(notebook.note(web)).toMatchObject({ note: { record: { seq: 4 } } });
    expect(notebook.trouble).toMatchObject({ reason: 'NotebookUnavailable' });
    expect(notebook.trouble?.message).toContain('configmaps in namespace reloader');
    expect(log.messages('warn')).toEqual(['The notebook lives in memory until this process ends']);
    expect(metricValue(metrics, 'reloader_notebook_available')).toBe(0);
    expect(await pieces()).toEqual([]);
    await client.close();
  });

  it('in observe mode, what was noted is known, and nothing is written', async () => {
    const { open, clock, stored } = await setUp();
    const before = await open();
    before.notebook.put(web, note(3));
    await before.end();
    const { notebook, writes } = await open(undefined, { memoryOnly: true });
    expect(notebook.note(web)).toEqual({ kind: 'note', note: note(3) });
    notebook.put(web, note(4));
    notebook.put(named('other'), note(1));
    await notebook.stored(web, never);
    await clock.advance(5_000);
    expect(writes).toEqual([]);
    expect(await stored(web)).toBe(3);
    expect([web, named('other')].map((ref) => notebook.has(ref))).toEqual([true, true]);
  });

  it('in observe mode, a notebook that may not be read is no trouble', async () => {
    const { open, clock, cluster, admin } = await setUp();
    await limited(cluster, admin, ['watch']);
    const client = createClient({ transport: cluster.transport({ token: 'limited' }), clock });
    const { notebook, log } = await open(() => client, { memoryOnly: true });
    notebook.put(web, note(1));
    expect([notebook.has(web), notebook.trouble, log.messages('warn')]).toEqual([true, undefined, []]);
    await client.close();
  });
});

describe('a server that does not answer', () => {
  it('is asked again until the notes are read, and nothing is decided before', async () => {
    const { open, clock } = await setUp();
    const first = await open();
    first.notebook.put(web, note(4));
    await clock.advance(100);
    await first.kill();
    let failures = 2;
    const opening = open((client) => ({
      ...client,
      list: (type, options) =>
        failures-- > 0 ? Promise.reject(new Error('no route')) : client.list(type, options),
    }));
    await clock.advance(10_000);
    const { notebook } = await opening;
    expect(failures).toBe(-1);
    expect(notebook.note(web)).toMatchObject({ note: { record: { seq: 4 } } });
  });

  it('gets the note as soon as it does', async () => {
    const { open, clock, stored } = await setUp();
    let down = true;
    const { notebook } = await open((client) => ({
      ...client,
      create: (type, object, options) =>
        down ? Promise.reject(new Error('no route')) : client.create(type, object as never, options as never),
    }));
    notebook.put(web, note(1));
    await clock.advance(10_000);
    down = false;
    await clock.advance(20_000);
    expect(await stored(web)).toBe(1);
  });
});
