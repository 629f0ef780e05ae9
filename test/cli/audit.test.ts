/** `--audit-log`: who or what caused a restart, and why; who froze a workload, and who changed the rules. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@reloader/runtime';
import { expect, onTestFinished, test } from 'vitest';
import type { AuditEntry } from '../../packages/operator/src/audit/audit-log.ts';
import { ReloaderConfig } from '../reloader/kinds.ts';
import { play, secret } from './play.ts';

const P = 'reloader.stakater.com';

test('each line names who changed what led to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reloader-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'audit.jsonl');
  const { command, stage } = await play(['--audit-log', file]);
  const lines = (): AuditEntry[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditEntry);
  const told = (action: AuditEntry['action']) => lines().filter((entry) => entry.action === action);
  const body = { stringData: { password: 'another' } };
  await stage.client.patch(kinds.Secret, secret, { type: 'merge', body }, { fieldManager: 'vault-agent' });
  await stage.clock.advance(15_000);
  const [cause] = told('reload')[0]?.causes ?? [];
  expect(cause).toMatchObject({ name: 'credentials', changedBy: 'vault-agent' });
  expect(Date.parse(cause?.changedAt ?? '')).toBeGreaterThan(0);

  await command('freeze', '-n', 'shop');
  await stage.clock.advance(2_000);
  await command('unfreeze', '-n', 'shop');
  await command('freeze', 'deployment/web');
  await stage.clock.advance(2_000);
  expect(
    [...told('freeze'), ...told('unfreeze')].map(({ object, by }) => `${object?.kind} ${object?.name} ${by}`),
  ).toEqual(['Namespace shop user', 'Deployment web user', 'Namespace shop user']);

  const metadata = { namespace: 'shop', name: 'rules' };
  const spec = { autoReloadAll: true, targets: [{ kind: 'Deployment', name: 'web' }] };
  await stage.client.create(ReloaderConfig, { metadata, spec } as never, { fieldManager: 'flux' });
  await stage.clock.advance(2_000);
  const change = { type: 'merge' as const, body: { spec: { pausePeriod: '5m' } } };
  await stage.client.patch(ReloaderConfig, metadata, change, { fieldManager: 'kubectl-edit' });
  const annotations = { [`${P}/settle`]: '5s' };
  await stage.client.patch(
    kinds.Deployment,
    { namespace: 'shop', name: 'web' },
    { type: 'merge', body: { metadata: { annotations } } },
    { fieldManager: 'kubectl-annotate' },
  );
  await stage.clock.advance(2_000);
  await stage.client.delete(ReloaderConfig, metadata);
  await stage.clock.advance(2_000);
  expect(told('rule').map(({ object, message, by }) => `${object?.kind} ${message} ${by}`)).toEqual([
    'ReloaderConfig created flux',
    'ReloaderConfig changed, generation 2 kubectl-edit',
    `Deployment ${P}/settle: "5s" kubectl-annotate`,
    'ReloaderConfig deleted undefined',
  ]);
});
