import { describe, expect, it } from 'vitest';
import { fight } from './storm.test.support.ts';

const HOUR = 3600;

describe('a source that changes every second, for an hour', () => {
  it('restarts every second without a limit', () => {
    expect(fight(undefined, 50)).toEqual({ reloads: 50, warnings: [] });
  });

  it('restarts sixty times at once with the default, and then once a minute', () => {
    const { reloads, warnings } = fight({ perHour: 60, burst: 60 }, HOUR);
    expect(reloads).toBeGreaterThan(110);
    expect(reloads).toBeLessThanOrEqual(120);
    expect(warnings).toHaveLength(1);
  });

  it('restarts 20 and 6 times with 6/20, and one Warning names both writers', () => {
    const { reloads, warnings } = fight({ perHour: 6, burst: 20 }, HOUR);
    expect(reloads).toBeGreaterThan(24);
    expect(reloads).toBeLessThanOrEqual(26);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^ReloadRateLimited: .*Secret shop\/db \(written by cert-manager and old-cert-manager\).*"reloader now deployment\/web -n shop"/,
      ),
    ]);
  });
});
