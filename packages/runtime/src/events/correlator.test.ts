import { expect, test } from 'vitest';
import { VirtualClock } from '../testing/index.ts';
import { EventCorrelator } from './correlator.ts';
import type { RecordedEvent } from './event.ts';

const MINUTE_MS = 60_000;
const about = (name: string): RecordedEvent => ({
  regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name, uid: name },
  type: 'Normal',
  reason: 'Reloaded',
  message: 'Reloaded',
});

test('a series goes on for an hour after its last occurrence, then the API server has deleted it', async () => {
  const clock = new VirtualClock();
  const correlator = new EventCorrelator(clock);
  for (const count of [1, 2, 3]) {
    expect(correlator.correlate(about('web')).series.count).toBe(count);
    await clock.advance(59 * MINUTE_MS);
  }
  await clock.advance(2 * MINUTE_MS);
  correlator.correlate(about('other'));
  expect(correlator.correlate(about('web')).series.count).toBe(1);
});

test('writes about one object stay limited while there are others about another one', async () => {
  const clock = new VirtualClock();
  const correlator = new EventCorrelator(clock);
  const written = (): number =>
    Array.from({ length: 30 }, () => correlator.mayWrite(about('web'))).filter(Boolean).length;
  expect(written()).toBe(25);
  correlator.mayWrite(about('other'));
  expect(written()).toBe(0);
  await clock.advance(10 * MINUTE_MS);
  correlator.mayWrite(about('other'));
  expect(written()).toBe(2);
});
