/** The test of both sizes: the same promise, kept for some seconds or for some minutes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Bundle, bundleOperator } from './bundle.ts';
import { HISTORY_FLAGS } from './etcd-history.ts';
import type { PlanOptions } from './plan.ts';
import { runKills } from './run.ts';

export interface Size extends PlanOptions {
  readonly workloads: number;
  readonly flags: readonly string[];
  readonly timeoutMs: number;
}

export function testKills(sizes: readonly Size[]): void {
  for (const size of sizes) testOne(size);
}

function testOne(size: Size): void {
  const cluster = useControlPlane({ workloads: true, auditLevel: 'Request', apiServerFlags: HISTORY_FLAGS });
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleOperator();
  });
  afterAll(() => bundle?.remove());

  const { changes, operatorKills, serverKills, workloads, flags, timeoutMs } = size;
  const name = `${changes} changes over ${workloads} workloads with ${flags.join(' ')}: none is lost and none rolls out twice, though the operator is killed ${operatorKills} times and the API server ${serverKills} times`;
  test(
    name,
    async () => {
      // Another one each time; one that failed is repeated with SEED.
      const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
      console.info(`SEED=${seed}`);
      const logFile = process.env.KILLS_LOG;
      const { lastLines, ...result } = await runKills(cluster(), {
        ...size,
        seed,
        program: bundle.file,
        ...(logFile && { logFile }),
      });
      console.info(`SEED=${seed} gave ${JSON.stringify(result)}`);
      console.info(`Restarts in doubt: ${result.inDoubt.length}`);
      const told = lastLines.join('\n');
      expect(result.lost, `lost with SEED=${seed}\n${told}`).toEqual([]);
      expect(result.awaited, `not replaced with SEED=${seed}`).toEqual([]);
      expect(result.duplicate, `duplicate with SEED=${seed}\n${told}`).toEqual([]);
      // What it rolled out, it recorded: with all its rights it has nothing to doubt.
      expect(result.inDoubt, `in doubt with SEED=${seed}\n${told}`).toEqual([]);
      expect(result.contentChanges).toBe(changes);
      expect(result.operatorKills).toBe(operatorKills);
      expect(result.serverKills).toBe(serverKills);
      // A PATCH whose answer a kill of the server cut off may be missing in its log, never one too many be in it.
      expect(result.patches).toBeLessThanOrEqual(result.templateChanges);
      expect(result.patches).toBeGreaterThanOrEqual(result.templateChanges - 8 * serverKills);
      expect(result.otherWrites).toEqual([]);
    },
    timeoutMs,
  );
}
