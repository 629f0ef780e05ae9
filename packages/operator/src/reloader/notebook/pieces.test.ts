import { describe, expect, it } from 'vitest';
import type { WorkloadRef } from '../model/workload.ts';
import { isNewer } from './newer.ts';
import { isDirty, LARGEST_PIECE_BYTES, nameBeside, Pieces } from './pieces.ts';

const web: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'web' };
const named = (name: string): WorkloadRef => ({ ...web, name });
const note = (revision: number, seq = 1, size = 0): string =>
  JSON.stringify({ n: revision, b: '-', r: { v: 1, uid: 'u', seq, t: 1, s: {} }, pad: 'x'.repeat(size) });

const store = (pieces: Pieces): void => {
  for (let round = 0; round < 3; round++)
    for (const piece of pieces.all()) if (isDirty(piece)) pieces.storedAs(piece, piece.revision, `${round}`);
};
const layout = (pieces: Pieces): string[] =>
  [...pieces.all()].map(
    (piece) => `${piece.namespace}.${piece.index}: ${[...piece.entries.keys()].join(' ')}`,
  );

describe('notes in pieces', () => {
  it('of one namespace share a piece, those of others have their own', () => {
    const pieces = new Pieces();
    for (const namespace of ['shop', 'shop-1']) {
      for (const name of ['a', 'b']) pieces.put({ ...web, namespace, name }, note(1));
    }
    expect(layout(pieces)).toEqual([
      'shop.0: Deployment.a Deployment.b',
      'shop-1.0: Deployment.a Deployment.b',
    ]);
    expect(pieces.get(named('a'))).toBe(note(1));
    expect(pieces.get(named('c'))).toBeUndefined();
  });

  it('never make a piece larger than the limit', () => {
    const pieces = new Pieces();
    for (let index = 0; index < 500; index++) pieces.put(named(`web-${index}`), note(1, 1, 300));
    const all = [...pieces.all()];
    expect(all.length).toBeGreaterThan(4);
    for (const piece of all) {
      const data = JSON.stringify(Object.fromEntries(piece.entries));
      expect(Buffer.byteLength(data)).toBeLessThanOrEqual(LARGEST_PIECE_BYTES);
    }
  });

  it('that are larger than the limit alone have a piece alone', () => {
    const pieces = new Pieces();
    pieces.put(named('small'), note(1));
    pieces.put(named('large'), note(1, 1, 40_000));
    pieces.put(named('other'), note(1));
    expect(layout(pieces)).toEqual(['shop.0: Deployment.small Deployment.other', 'shop.1: Deployment.large']);
  });

  it('that move stay in the old piece until the new one is stored', () => {
    const pieces = new Pieces();
    pieces.put(named('a'), note(1, 1, 20_000));
    pieces.put(named('b'), note(1, 1, 10_000));
    store(pieces);
    const [moved] = pieces.put(named('b'), note(2, 1, 15_000));
    expect(layout(pieces)).toEqual(['shop.0: Deployment.a Deployment.b', 'shop.1: Deployment.b']);
    expect(pieces.get(named('b'))).toBe(note(2, 1, 15_000));
    if (!moved) throw new Error('something has to be written');
    const left = pieces.storedAs(moved, moved.revision, '9');
    expect(left.map(({ index }) => index)).toEqual([0]);
    expect(layout(pieces)).toEqual(['shop.0: Deployment.a', 'shop.1: Deployment.b']);
  });

  it('that are gone leave the piece', () => {
    const pieces = new Pieces();
    pieces.put(web, note(1));
    store(pieces);
    expect(pieces.remove(web).map(isDirty)).toEqual([true]);
    expect(pieces.remove(web)).toEqual([]);
    expect(layout(pieces)).toEqual(['shop.0: ']);
  });

  it('are forgotten with their piece when it is empty, stored, and nothing is copied from it', () => {
    const pieces = new Pieces();
    const [piece] = pieces.put(web, note(1));
    if (!piece) throw new Error('something has to be written');
    expect(pieces.drop(piece)).toBe(false);
    pieces.remove(web);
    expect(pieces.drop(piece)).toBe(false);
    store(pieces);
    expect(pieces.drop(piece)).toBe(true);
    expect(layout(pieces)).toEqual([]);
  });

  it('of names that are too long for a key keep their names', () => {
    const long = named('x'.repeat(253));
    expect(nameBeside(web)).toEqual({});
    const text = JSON.stringify({ ...JSON.parse(note(1)), w: nameBeside(long).name });
    const pieces = new Pieces();
    pieces.put(long, text);
    const [piece] = pieces.all();
    const [key = ''] = piece?.entries.keys() ?? [];
    expect(key.length).toBeLessThanOrEqual(253);
    const again = new Pieces();
    again.load({ namespace: 'shop', index: 0, data: { [key]: text }, resourceVersion: '1' }, isNewer);
    expect(again.get(long)).toBe(text);
  });
});

describe('notes that are read', () => {
  const stored = (index: number, data: Record<string, string>) => ({
    namespace: 'shop',
    index,
    data,
    resourceVersion: String(index),
  });

  it('are known and clean', () => {
    const pieces = new Pieces();
    expect(pieces.load(stored(3, { 'Deployment.web': note(4) }), isNewer)).toEqual([]);
    expect(pieces.get(web)).toBe(note(4));
    expect([...pieces.workloads()]).toEqual([web]);
  });

  it.each([
    ['the first has more reloads', note(1, 5), note(9, 4), 0],
    ['the second has more reloads', note(9, 4), note(1, 5), 1],
    ['the second was noted later', note(3), note(4), 1],
    ['the first was noted later', note(4), note(3), 0],
  ])('twice, because of a crash in a split: %s', (_, first, second, counts) => {
    const pieces = new Pieces();
    const untidy = [
      ...pieces.load(stored(0, { 'Deployment.web': first }), isNewer),
      ...pieces.load(stored(1, { 'Deployment.web': second }), isNewer),
    ];
    expect(pieces.get(web)).toBe([first, second][counts]);
    expect(untidy.map(({ index }) => index)).toEqual([1 - counts]);
    expect([...pieces.all()].map((piece) => piece.entries.size)).toEqual(counts === 0 ? [1, 0] : [0, 1]);
  });

  it('leave out what is no note of a workload', () => {
    const pieces = new Pieces();
    pieces.load(stored(0, { '.x': '', nodot: '', 'Deployment.a_b': '{' }), isNewer);
    expect(pieces.size).toBe(0);
  });

  it('and are longer, or more, than we ever write in one piece, are not ours', () => {
    const pieces = new Pieces();
    const data = {
      'Deployment.long': 'x'.repeat(3 * LARGEST_PIECE_BYTES),
      'Deployment.web': note(1),
      ...Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`Deployment.w-${index}`, '{}'])),
    };
    pieces.load({ namespace: 'shop', index: 0, data, resourceVersion: '1' }, isNewer);
    expect(pieces.get(web)).toBe(note(1));
    expect(pieces.get(named('long'))).toBeUndefined();
    expect(pieces.size).toBe(600);
  });
});
