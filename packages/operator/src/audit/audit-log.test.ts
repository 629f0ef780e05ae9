import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { reloadReport } from '../reloader/report/report.test.support.ts';
import { type AuditEntry, AuditLog } from './audit-log.ts';
import { openAuditLog } from './destination.ts';

function audited(tell: (log: AuditLog) => void): AuditEntry[] {
  const lines: string[] = [];
  tell(new AuditLog({ write: (line) => lines.push(line), clock: { now: () => 0 } }));
  expect(lines.every((line) => line.endsWith('}\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
  return lines.map((line) => JSON.parse(line) as AuditEntry);
}

test('a reload has its action, time, workload and causes', () => {
  const [entry] = audited((log) => log.reloaded(reloadReport({ seq: 4 })));
  expect(entry).toMatchObject({
    audit: true,
    time: '1970-01-01T00:00:00.000Z',
    action: 'reload',
    outcome: 'done',
    seq: 4,
  });
  expect(entry?.workload).toMatchObject({ kind: 'Deployment', namespace: 'shop', name: 'web' });
  expect(entry?.causes?.length).toBeGreaterThan(0);
});

test('a failure that is retried and a final one differ', () => {
  const entries = audited((log) => {
    log.failed(reloadReport(), new Error('busy'), false);
    log.failed(reloadReport(), new Error('invalid'), true);
  });
  expect(entries.map(({ outcome, message }) => `${outcome}: ${message}`)).toEqual([
    'retrying: busy',
    'failed: invalid',
  ]);
});

test('a restore, or its refusal, names the sources and the reason', () => {
  const { workload } = reloadReport().plan;
  const sources = [{ kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const];
  const [entry] = audited((log) =>
    log.restored(workload, { result: 'refused', seq: 4, sources, configs: [], message: 'owned by Helm' }),
  );
  expect(entry).toMatchObject({
    action: 'restore',
    outcome: 'refused',
    seq: 4,
    causes: [{ kind: 'ConfigMap', name: 'settings' }],
    message: 'owned by Helm',
  });
});

test('a deferral has its reason and its end; settling is not logged', () => {
  const { want, plan } = reloadReport();
  const entries = audited((log) => {
    log.deferred(plan.workload, want, {
      kind: 'later',
      why: 'settling',
      until: 5,
      message: 'settles',
      since: 0,
      change: '',
    });
    log.deferred(plan.workload, want, {
      kind: 'later',
      why: 'paused',
      until: 60_000,
      message: 'paused',
      since: 0,
      change: '',
    });
    log.deferred(plan.workload, want, {
      kind: 'later',
      why: 'frozen',
      until: undefined,
      message: 'frozen',
      since: 0,
      change: '',
    });
  });
  expect(entries.map(({ action, reason, until }) => ({ action, reason, until }))).toEqual([
    { action: 'hold', reason: 'paused', until: '1970-01-01T00:01:00.000Z' },
    { action: 'hold', reason: 'frozen', until: undefined },
  ]);
});

test('digests of Secrets are not in it', () => {
  const report = reloadReport();
  const slot = 'ab'.repeat(20);
  const ref = { kind: 'Secret', namespace: 'shop', name: 'credentials' } as const;
  const causes = [
    { ref, finding: 'changed' as const, slot, container: 'app' },
    { ref: { ...ref, kind: 'ConfigMap' as const }, finding: 'changed' as const, slot, container: 'app' },
  ];
  const given = { ...report, plan: { ...report.plan, causes } };
  const digests = () =>
    audited((log) => log.reloaded(given))[0]?.causes?.map(({ kind, digest }) => `${kind} ${digest}`);
  expect(digests()).toEqual(['Secret undefined', `ConfigMap ${slot}`]);
});

test('the file is only appended to, and for its owner alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reloader-audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'audit.jsonl');
  const { logger } = createCapturingLogger();
  openAuditLog(file, logger)('one\n');
  openAuditLog(file, logger)('two\n');
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a file that cannot be opened fails the start, with the flag in the message', () => {
  const { logger } = createCapturingLogger();
  expect(() => openAuditLog('/nowhere/audit.jsonl', logger)).toThrow(
    '--audit-log=/nowhere/audit.jsonl cannot be opened',
  );
});

test('an undo differs from a reload, and has the number of the reload that it undoes', () => {
  const [entry] = audited((log) => log.reloaded({ ...reloadReport({ seq: 5 }), undoes: 4 }));
  expect(entry).toMatchObject({ action: 'undo', outcome: 'done', seq: 5, undoes: 4 });
});
