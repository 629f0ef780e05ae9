import { VirtualClock } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { createStyle } from '../../terminal/style.ts';
import { predictionText } from './prediction.ts';

it('names the ReloaderConfig that asks for a reload, and the estimate', () => {
  const text = predictionText(
    {
      source: { kind: 'Secret', namespace: 'shop', name: 'db' },
      change: 'changed',
      estimate: { ends: '2026-11-17T02:00:00Z', message: 'Estimate: soon' },
      reloads: [
        {
          workload: { kind: 'Deployment', namespace: 'shop', name: 'web' },
          waits: [],
          rule: 'config',
          configs: [{ namespace: 'shop', name: 'rules' }],
          how: 'rolling update',
        },
      ],
      others: [],
    },
    createStyle(false),
    { clock: new VirtualClock(), columns: 120, wide: false },
  );
  expect(text).toMatch(/web +held +config shop\/rules +rolling update/);
  expect(text).toContain('Estimate: soon\n');
});
