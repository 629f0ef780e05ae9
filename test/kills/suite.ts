/** The test of both sizes: the same guarantee, for some seconds or for some minutes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Bundle, bundleOperator } from './bundle.ts';
import { HISTORY_FLAGS } from './etcd-history.ts';
import type { PlanOptions } from './plan.ts';
import { type Reached, summaryOf } from './reach.ts';
import { runKills } from './run.ts';

export interface Size extends PlanOptions {
  readonly workloads: number;
  readonly flags: readonly string[];
  readonly timeoutMs: number;
  readonly replicas?: 1 | 2;
  readonly compat?: boolean;
}

/** The data of a run, for a picture of it. */
export interface Shown {
  readonly name: string;
  readonly reach: Reached;
}

export function testKills(sizes: readonly Size[], onEnd: (shown: Shown) => void = () => undefined): void {
  for (const size of sizes) testOne(size, onEnd);
}

function testOne(size: Size, onEnd: (shown: Shown) => void): void {
  const cluster = useControlPlane({ workloads: true, auditLevel: 'Request', apiServerFlags: HISTORY_FLAGS });
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleOperator();
  });
  afterAll(() => bundle?.remove());

  const { changes, operatorKills, serverKills, etcdKills = 0, workloads, flags, timeoutMs } = size;
  const mode = `${size.compat ? 'compat mode' : 'full mode'}${size.replicas === 2 ? ', two replicas' : ''}`;
  const etcd = etcdKills > 0 ? ` and etcd ${etcdKills} times` : '';
  const name = `${mode}, ${changes} changes over ${workloads} workloads with ${flags.join(' ')}: none is lost and none rolls out twice, though operators are killed ${operatorKills} times, the API server ${serverKills} times${etcd}`;
  test(
    name,
    async () => {
      // A new seed each time; SEED repeats a failed run.
      const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
      console.info(`SEED=${seed}`);
      const logFile = process.env.KILLS_LOG;
      const { lastLines, reach, ...result } = await runKills(cluster(), {
        ...size,
        seed,
        program: bundle.file,
        ...(logFile && { logFile }),
      });
      console.info(`SEED=${seed} gave ${JSON.stringify(result)}`);
      console.info(`Reached all pods: ${JSON.stringify(summaryOf(reach.spans))}`);
      onEnd({ name: mode, reach });
      console.info(`Restarts in doubt: ${result.inDoubt.length}`);
      const told = lastLines.join('\n');
      expect(result.lost, `lost with SEED=${seed}\n${told}`).toEqual([]);
      expect(result.awaited, `not replaced with SEED=${seed}`).toEqual([]);
      expect(result.duplicate, `duplicate with SEED=${seed}\n${told}`).toEqual([]);
      // With all permissions the operator records every rollout, so it never has a doubt.
      if (!size.compat) expect(result.inDoubt, `in doubt with SEED=${seed}\n${told}`).toEqual([]);
      expect(result.contentChanges).toBe(changes);
      expect(result.operatorKills).toBe(operatorKills);
      expect(result.serverKills).toBe(serverKills);
      expect(result.etcdKills).toBe(etcdKills);
      // If a kill of the server or of etcd cut off the answer to a PATCH, its entry may be missing in the log; there
      // are never extra ones.
      expect(result.patches).toBeLessThanOrEqual(result.templateChanges);
      expect(result.patches).toBeGreaterThanOrEqual(result.templateChanges - 8 * (serverKills + etcdKills));
      expect(result.otherWrites).toEqual([]);
    },
    timeoutMs,
  );
}
