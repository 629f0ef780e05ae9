/** Tests of a judge: reloads with and without a reason, from stored records. */
import { expect, test } from 'vitest';
import { formatLedger } from '../../packages/operator/src/reloader/ledger/ledger.ts';
import { baseOf, formatNote } from '../../packages/operator/src/reloader/ledger/note.ts';
import type { Ledger } from '../../packages/operator/src/reloader/model/ledger.ts';
import { Chronicle } from '../reloader/chronicle.ts';
import { LEDGER } from '../reloader/names.ts';
import { digestsOf } from './digests.ts';
import { everyReloadHasAReason } from './reasons.ts';

const SOURCE = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
const NOTES = { kind: 'ConfigMap', namespace: 'reloader', name: 'reloader-notes-shop.0' };

/** `source a`: the content; `reload 2 a`: the second reload, for this content; `noted a`; `notes lost`. */
function broken(...lines: readonly string[]): string[] {
  const chronicle = new Chronicle();
  for (const namespace of ['shop', 'reloader']) chronicle.include(namespace);
  let text = '';
  let seq = 0;
  lines.forEach((line, index) => {
    const [what = '', first = '', second = ''] = line.split(' ');
    const at = index + 1;
    const time = new Date(at * 1000).toISOString();
    const stamps = { creationTimestamp: time, managedFields: [{ time }] };
    const metadata = { uid: 'u', resourceVersion: String(at), ...stamps };
    const record = (content: string): Ledger => {
      const [digest = ''] = digestsOf(chronicle, SOURCE, {
        metadata: { ...metadata, name: 'settings' },
        data: { content },
      });
      const recent = seq === 0 ? [] : [{ seq, at: seq, configs: [], sources: ['cm/settings'] }];
      return { uid: 'u', seq, writtenAt: at, recent, sources: new Map([['cm/settings', { digest }]]) };
    };
    if (what === 'source')
      chronicle.note('MODIFIED', 'ConfigMap', {
        metadata: { ...metadata, ...SOURCE },
        data: { content: first },
      });
    else if (what === 'reload') {
      seq = Number(first);
      text = formatLedger(record(second));
      const annotations = { [LEDGER]: text };
      chronicle.note('MODIFIED', 'Deployment', {
        metadata: { ...metadata, namespace: 'shop', name: 'web', annotations },
      });
    } else {
      const note = formatNote({ record: record(first), base: baseOf(text) }, { revision: at });
      const isLost = line === 'notes lost';
      chronicle.note(isLost ? 'DELETED' : 'MODIFIED', 'ConfigMap', {
        metadata: { ...metadata, ...NOTES },
        data: isLost ? {} : { 'Deployment.web': note },
      });
    }
  });
  return everyReloadHasAReason(chronicle, {});
}

test('a reload for a content that is already recorded has no reason', () => {
  expect(broken('source a', 'reload 1 a', 'reload 2 a')).toEqual([
    expect.stringContaining('reload 2 of web has no reason'),
  ]);
  expect(broken('source a', 'reload 1 a', 'source b', 'reload 2 b')).toEqual([]);
});

test('a record that a user deleted with the notebook still counts: the operator remembers it', () => {
  const before = ['source a', 'reload 1 a', 'source b', 'noted b'];
  expect(broken(...before, 'notes lost', 'source a', 'reload 2 a')).toEqual([]);
  expect(broken(...before, 'source b', 'reload 2 b')).toEqual([
    expect.stringContaining('reload 2 of web has no reason'),
  ]);
});
