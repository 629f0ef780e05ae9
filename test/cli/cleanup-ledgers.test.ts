/** An upgrade and a downgrade of the operator: the records are migrated, and nothing restarts. */
import { type Client, kinds } from '@reloader/runtime';
import { expect, test } from 'vitest';
import { formatLedger, parseLedger } from '../../packages/operator/src/reloader/ledger/ledger.ts';
import { LEDGER } from '../reloader/names.ts';
import { readRecord } from '../reloader/records.ts';
import { type Play, play } from './play.ts';

const web = { kind: 'Deployment', namespace: 'shop', name: 'web' };
const NOTES = { namespace: 'reloader', name: 'reloader-notes-shop.0' };

const ledgerOf = async (client: Client): Promise<string | undefined> =>
  (await client.get(kinds.Deployment, web)).metadata.annotations?.[LEDGER];

const generationOf = async (client: Client): Promise<number | undefined> =>
  (await client.get(kinds.Deployment, web)).metadata.generation;

const podsOf = async ({ stage }: Play): Promise<string[]> =>
  (await stage.client.list(kinds.Pod, { namespace: 'shop' })).items
    .map(({ metadata }) => metadata.uid)
    .sort();

test('--to-ledgers writes notes as ledgers: an operator that reads only ledgers restarts nothing', async () => {
  const played = await play();
  const { command, stage } = played;
  await stage.stopOperator();
  const record = await readRecord(stage.client, 'reloader', web);
  expect([record?.seq, await ledgerOf(stage.client)]).toEqual([0, undefined]);
  expect((await command('cleanup', '--to-ledgers', '--dry-run')).out).toContain(
    '1 ledgers would be written in namespace shop, one write each, in about 1 s; nothing restarts',
  );
  expect(await ledgerOf(stage.client)).toBeUndefined();
  const { out, code } = await command('cleanup', '--to-ledgers');
  expect([code, out]).toEqual([0, expect.stringContaining('Deployment shop/web: ledger written')]);
  const parsed = parseLedger(await ledgerOf(stage.client));
  expect(parsed.kind === 'ledger' && JSON.parse(formatLedger(parsed.ledger))).toEqual(record);
  expect((await command('cleanup', '--to-ledgers')).out, 'twice is once').toContain('0 ledgers are written');
  // Like the previous version: no notebook, and the ledger reveals a change while no operator ran.
  await stage.client.delete(kinds.ConfigMap, NOTES);
  const pods = await podsOf(played);
  await stage.startOperator();
  await stage.clock.advance(60_000);
  expect(await podsOf(played)).toEqual(pods);
  await played.change('another');
  await stage.clock.advance(60_000);
  expect(parseLedger(await ledgerOf(stage.client))).toMatchObject({ kind: 'ledger', ledger: { seq: 1 } });
});

test('--ledgers takes off what adoption once wrote, notes it first, and leaves ledgers of rollouts', async () => {
  const played = await play();
  const { command, stage } = played;
  await stage.stopOperator();
  await command('cleanup', '--to-ledgers');
  await stage.client.delete(kinds.ConfigMap, NOTES);
  const pods = await podsOf(played);
  const before = await ledgerOf(stage.client);
  const { out, code } = await command('cleanup', '--ledgers');
  expect([code, out]).toEqual([0, expect.stringContaining('Deployment shop/web: ledger taken off')]);
  expect(out).toContain(
    '1 ledgers are taken off in namespace shop, one write each, in about 1 s; nothing restarts',
  );
  expect(await ledgerOf(stage.client)).toBeUndefined();
  expect(await readRecord(stage.client, 'reloader', web)).toEqual(JSON.parse(before ?? ''));
  await played.change('another');
  await stage.clock.advance(5_000);
  expect(await podsOf(played)).toEqual(pods);
  const generation = await generationOf(stage.client);
  await stage.startOperator();
  await stage.clock.advance(60_000);
  expect(await generationOf(stage.client), 'the change was not lost').toBe((generation ?? 0) + 1);
  await stage.stopOperator();
  expect((await command('cleanup', '--ledgers')).out).toContain('0 ledgers are taken off');
  expect(parseLedger(await ledgerOf(stage.client))).toMatchObject({ kind: 'ledger', ledger: { seq: 1 } });
});

test('--to-ledgers says which namespace it looked at, and what it left in others', async () => {
  const { commandWith, command, stage } = await play();
  await stage.stopOperator();
  const elsewhere = await commandWith({ namespace: 'empty' }, 'cleanup', '--to-ledgers');
  expect(elsewhere).toMatchObject({
    code: 0,
    out: expect.stringContaining('0 ledgers are written in namespace empty'),
    err: expect.stringMatching(
      /Only namespace empty was looked at\. 1 notes about workloads of shop .* give -A/,
    ),
  });
  expect(await ledgerOf(stage.client)).toBeUndefined();
  const everywhere = await commandWith({ namespace: 'empty' }, 'cleanup', '--to-ledgers', '-A');
  expect(everywhere).toMatchObject({
    out: expect.stringContaining('1 ledgers are written in all namespaces'),
    err: '',
  });
  expect((await command('cleanup', '--to-ledgers')).err, 'nothing is left').toBe('');
});

test('both at once, and notes that may not be read, are refused with what to do', async () => {
  const { command, commandAs, stage } = await play();
  expect((await command('cleanup', '--ledgers', '--to-ledgers')).err).toContain(
    'Give either --ledgers or --to-ledgers',
  );
  const { code, err } = await commandAs(stage.as('nobody'), 'cleanup', '--to-ledgers');
  expect([code, err]).toEqual([1, expect.stringContaining('The notes may not be read, so nothing was done')]);
});
