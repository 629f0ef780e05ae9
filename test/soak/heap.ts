/** The heap of this process after garbage collection. Needs `--expose-gc`, which `vitest.soak.config.ts` sets. */

const ROUNDS = 4;

/** Bytes that are still reachable. Weak references and finalizers need another round of collection. */
export async function heapWithoutGarbage(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('Node was started without --expose-gc');
  for (let round = 0; round < ROUNDS; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
