/** S1: planted secrets. Every scenario searches for them in the operator's output; these also search its memory. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { CANARY, CANARY_BASE64 } from '../names.ts';
import { scenario } from '../scenario.ts';

export const canary = [
  scenario(
    'S1: at the highest log level, on success and on failure, no secret value is written anywhere',
    async (s) => {
      await s.stage.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'db', namespace: s.namespace },
        stringData: { password: `${CANARY}-one`, [`${'k'.repeat(20)}`]: `${CANARY}-two` },
      });
      const web = await s.deployment('web', {
        annotations: { auto: 'true' },
        uses: [{ secret: 'db', via: 'volume' }],
      });
      await s.config('config', {
        watchedResources: { secrets: ['db', 'absent'] },
        targets: [
          { kind: 'Deployment', name: 'web' },
          { kind: 'Deployment', name: 'absent' },
        ],
      });
      await s.operator({ args: ['--log-level=trace'] });
      await s.adopted(web);
      await s.secret('db', { password: 'three' });
      await s.rolled([web, 1]);
      await s.remove('Secret', 'db');
      await s.stage.quiet();
    },
  ),

  scenario(
    'S1: no secret value stays in the memory of the operator (defect 21)',
    async (s) => {
      const directory = await mkdtemp(join(tmpdir(), 'reloader-heap-'));
      try {
        for (let index = 0; index < 20; index++)
          await s.secret(`secret-${index}`, { password: `in-memory-${index}` });
        const web = await s.deployment('web', {
          annotations: { auto: 'true' },
          uses: [{ secret: 'secret-1' }],
        });
        const operator = await s.operator({
          env: { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${directory}` },
        });
        await s.adopted(web);
        await s.secret('secret-1', { password: 'in-memory-changed' });
        await s.rolled([web, 1]);
        operator.signal?.('SIGUSR2');
        const files = async () => (await readdir(directory)).filter((name) => name.endsWith('.heapsnapshot'));
        const text = async (): Promise<string> => readFile(join(directory, (await files())[0] ?? ''), 'utf8');
        await s.stage.until(
          'the snapshot',
          async () => (await files()).length === 1 && (await text()).trimEnd().endsWith('}'),
          60_000,
        );
        const snapshot = await text();
        expect(snapshot, 'names are there').toContain('secret-1');
        expect([CANARY, CANARY_BASE64].filter((word) => snapshot.includes(word))).toEqual([]);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    { only: 'cluster' },
  ),
];
