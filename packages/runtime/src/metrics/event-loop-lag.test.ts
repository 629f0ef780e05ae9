import { expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createEventLoopMonitor, type DelayHistogram } from './event-loop-lag.ts';

class FakeHistogram implements DelayHistogram {
  max = 0;
  enabled = false;
  percentile(): number {
    return this.max / 2;
  }
  reset(): void {
    this.max = 0;
  }
  enable(): void {
    this.enabled = true;
  }
  disable(): void {
    this.enabled = false;
  }
}

function monitorWithFakes() {
  const clock = new VirtualClock();
  const histograms: FakeHistogram[] = [];
  const monitor = createEventLoopMonitor({
    windowMs: 1000,
    clock,
    createHistogram: () => {
      const histogram = new FakeHistogram();
      histograms.push(histogram);
      return histogram;
    },
  });
  const block = (seconds: number): void => {
    for (const each of histograms) each.max = Math.max(each.max, (seconds + 0.02) * 1e9);
  };
  return { clock, histograms, monitor, block };
}

test('reports the lag beyond the sampling interval', () => {
  const { monitor, block } = monitorWithFakes();
  expect(monitor.read()).toEqual({ maxSeconds: 0, p99Seconds: 0 });
  block(1);
  expect(monitor.read().maxSeconds).toBeCloseTo(1);
  expect(monitor.read().p99Seconds).toBeCloseTo(0.49);
});

test('two readers in one window see the same lag', async () => {
  const { clock, monitor, block } = monitorWithFakes();
  block(1);
  await clock.advance(999);
  expect(monitor.read().maxSeconds).toBeCloseTo(1);
  expect(monitor.read().maxSeconds).toBeCloseTo(1);
});

test('a lag is forgotten after two windows, not before one', async () => {
  const { clock, monitor, block } = monitorWithFakes();
  await clock.advance(1000);
  monitor.read();
  block(1);
  await clock.advance(1000);
  expect(monitor.read().maxSeconds).toBeCloseTo(1);
  await clock.advance(999);
  expect(monitor.read().maxSeconds).toBeCloseTo(1);
  await clock.advance(1);
  monitor.read();
  expect(monitor.read().maxSeconds).toBe(0);
});

test('stops both histograms', () => {
  const { histograms, monitor } = monitorWithFakes();
  expect(histograms.map((each) => each.enabled)).toEqual([true, true]);
  monitor.stop();
  expect(histograms.map((each) => each.enabled)).toEqual([false, false]);
});

test("a blocked loop shows in Node's own histogram", async () => {
  const monitor = createEventLoopMonitor();
  // Node samples on its own schedule: on a busy machine the first samples may be late.
  await expect
    .poll(() => {
      const end = performance.now() + 150;
      while (performance.now() < end);
      return monitor.read().maxSeconds;
    })
    .toBeGreaterThan(0.1);
  monitor.stop();
});
