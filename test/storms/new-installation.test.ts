/** Tests of a judge: adoptions that lost a change by a documented limit, and those that must not lose one. */
import { describe, expect, test } from 'vitest';
import { formatNote } from '../../packages/operator/src/reloader/ledger/note.ts';
import { Chronicle, type Version } from '../reloader/chronicle.ts';
import { DIGEST_KEY } from '../reloader/names.ts';
import { adoptedAnew } from './new-installation.ts';

const workload = { kind: 'Deployment', namespace: 'shop', name: 'web' };
const source = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
const NOTES = 'reloader-notes-shop.0';
const RECORD = { uid: 'web', seq: 0, writtenAt: 1, recent: [], sources: new Map() };
const NOTE = formatNote({ record: RECORD, base: '-' }, { revision: 1 });

/** One event in each second, which is also its revision. */
type Event =
  | 'noted'
  | 'notes lost'
  | 'key'
  | 'out'
  | 'in'
  | 'absent'
  | `content ${string}`
  | 'starts'
  | 'adopts';

function isExempt(...events: readonly Event[]): boolean {
  const chronicle = new Chronicle();
  for (const namespace of ['', 'shop', 'reloader']) chronicle.include(namespace);
  const log: { level: 'info'; message: string; values: Record<string, unknown>; at: number }[] = [];
  events.forEach((event, index) => {
    const at = (index + 1) * 1000;
    const time = new Date(at).toISOString();
    const note = (
      type: Version['type'],
      kind: string,
      namespace: string,
      name: string,
      rest: { data?: Record<string, string>; labels?: Record<string, string> } = {},
    ): void => {
      const { labels = {}, data = {} } = rest;
      const stamps = { creationTimestamp: time, managedFields: [{ time }] };
      const metadata = { namespace, name, uid: name, resourceVersion: String(index + 1), labels, ...stamps };
      chronicle.note(type, kind, { metadata, data });
    };
    const [what, content = ''] = event.split(' ');
    if (event === 'noted')
      note('MODIFIED', 'ConfigMap', 'reloader', NOTES, { data: { 'Deployment.web': NOTE } });
    else if (event === 'notes lost') note('DELETED', 'ConfigMap', 'reloader', NOTES);
    else if (event === 'key') note('ADDED', 'Secret', 'reloader', DIGEST_KEY);
    else if (event === 'absent') note('DELETED', 'ConfigMap', 'shop', source.name);
    else if (what === 'content') note('MODIFIED', 'ConfigMap', 'shop', source.name, { data: { content } });
    else if (event === 'out' || event === 'in')
      note('MODIFIED', 'Namespace', '', 'shop', { labels: { reload: event === 'in' ? 'yes' : 'no' } });
    else {
      const adopted = { because: 'adopted', ...workload };
      const isStart = event === 'starts';
      const message = isStart ? 'Reloader Operator starts' : 'Recorded without a restart';
      log.push({ level: 'info', message, values: isStart ? {} : adopted, at });
    }
  });
  chronicle.note('ADDED', 'Deployment', {
    metadata: { namespace: 'shop', name: 'web', uid: 'web', resourceVersion: '0' },
  });
  const [version] = chronicle.of(source);
  if (!version) throw new Error('The source has no content');
  return adoptedAnew(
    [{ log, diedAt: undefined }],
    chronicle,
  )({ workload, key: 'cm/settings', source, version, since: 0 });
}

const BEFORE: readonly Event[] = ['key', 'content a', 'noted', 'content b', 'notes lost'];

describe('a change may be lost', () => {
  test('if the digest key is lost together with the record', () => {
    expect(isExempt(...BEFORE, 'key', 'starts', 'adopts', 'noted')).toBe(true);
  });

  test('also if the source was absent then, and was created later', () => {
    expect(isExempt(...BEFORE, 'absent', 'key', 'starts', 'adopts', 'noted', 'content c')).toBe(true);
  });

  test('if the operator started while the namespace was out of scope, and saw it come in', () => {
    expect(isExempt('in', ...BEFORE, 'out', 'starts', 'in', 'adopts', 'noted')).toBe(true);
  });
});

describe('a change must not be lost', () => {
  test('if there is a record, or the key is still there', () => {
    expect(isExempt('key', 'content a', 'noted', 'content b', 'key', 'starts', 'adopts')).toBe(false);
    expect(isExempt(...BEFORE, 'starts', 'adopts', 'noted')).toBe(false);
  });

  test('if it was made after the key, or after the creation of a source that was absent then', () => {
    expect(isExempt(...BEFORE, 'key', 'starts', 'adopts', 'noted', 'content c')).toBe(false);
    const events: Event[] = ['absent', 'key', 'starts', 'adopts', 'noted', 'content c', 'content d'];
    expect(isExempt(...BEFORE, ...events)).toBe(false);
  });

  test('if the operator saw the namespace in scope before it left', () => {
    expect(isExempt('in', ...BEFORE, 'starts', 'out', 'in', 'adopts', 'noted')).toBe(false);
  });

  test('if it was made after the namespace came in', () => {
    expect(isExempt('in', ...BEFORE, 'out', 'starts', 'in', 'adopts', 'noted', 'content c')).toBe(false);
  });
});
