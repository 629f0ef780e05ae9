import { expect, test } from 'vitest';
import { formatLedger } from '../../packages/operator/src/reloader/ledger/ledger.ts';
import { Chronicle } from '../reloader/chronicle.ts';
import { LEDGER } from '../reloader/names.ts';
import { secondRestarts } from './second-restarts.ts';

const DIGESTS: Readonly<Record<string, string>> = { a: 'a'.repeat(22), b: 'b'.repeat(22) };

/** Lines such as `source b @5`: each a revision, at a second. `reload 2 b`: the second reload, for this content. */
function told(...lines: readonly string[]) {
  const chronicle = new Chronicle();
  chronicle.include('ns');
  lines.forEach((line, index) => {
    const [what = '', first = '', second = ''] = line.split(' ');
    const at = Number(/@(\d+)$/.exec(line)?.[1] ?? index + 1);
    const time = new Date(at * 1000).toISOString().replace('.000', '');
    const stamps = { creationTimestamp: time, managedFields: [{ time }] };
    const metadata = { namespace: 'ns', resourceVersion: String(index + 1), ...stamps };
    if (what === 'source')
      chronicle.note('MODIFIED', 'ConfigMap', {
        metadata: { ...metadata, name: 'settings', uid: 's' },
        data: { value: first },
      });
    else if (what === 'reload')
      chronicle.note('MODIFIED', 'Deployment', {
        metadata: {
          ...metadata,
          name: 'app',
          uid: 'u',
          annotations: { [LEDGER]: ledger(first, second, at) },
        },
      });
    else
      chronicle.note(what === 'pod' ? 'ADDED' : 'DELETED', 'Pod', {
        metadata: { ...metadata, name: first, uid: first, labels: { app: 'app' } },
      });
  });
  return secondRestarts(chronicle);
}

function ledger(seq: string, content: string, at: number): string {
  const reload = { seq: Number(seq), at, configs: [], sources: ['cm/settings'] };
  return formatLedger({
    uid: 'u',
    seq: reload.seq,
    writtenAt: at,
    reloadedAt: at,
    recent: reload.seq === 0 ? [] : [reload],
    sources: new Map([['cm/settings', { digest: DIGESTS[content] ?? '' }]]),
  });
}

const START = ['source a', 'reload 0 a', 'pod one', 'source b @10', 'reload 1 b @10'];

test('one reload for each change is no second one', () => {
  expect(told(...START, 'pod two @11', 'gone one', 'source a @20', 'reload 2 a @20')).toEqual([]);
});

test('a second one is found, though every pod came after the change', () => {
  expect(told(...START, 'pod two @11', 'gone one', 'reload 2 b @20')).toEqual([
    { what: 'reload 2 of app at revision 8', inDoubt: false },
  ]);
});

test('it is in doubt where a pod came in the second of the change', () => {
  expect(told(...START, 'pod two @10', 'gone one', 'reload 2 b @20')).toEqual([
    { what: 'reload 2 of app at revision 8', inDoubt: true },
  ]);
});

test('it is none while a pod from before the change lives', () => {
  expect(told(...START, 'pod two @11', 'reload 2 b @20')).toEqual([]);
});

test('it is none where the reload before did not know the change yet', () => {
  const stale = START.with(-1, 'reload 1 a @10');
  expect(told(...stale, 'pod two @11', 'gone one', 'reload 2 b @20')).toEqual([]);
});

test('it is none where the source changed and changed back since', () => {
  const lines = ['source a @15', 'source b @16', 'pod two @17', 'gone one', 'reload 2 b @20'];
  expect(told(...START, ...lines)).toEqual([]);
});
