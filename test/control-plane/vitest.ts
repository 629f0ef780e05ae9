/** A control plane for the tests of one file, in one line: `const cluster = useControlPlane({ workloads: true })`. */
import { afterAll, beforeAll } from 'vitest';
import type { ControlPlane } from './control-plane.ts';
import { type ControlPlaneOptions, startControlPlane } from './start.ts';

/** Long enough to build the binaries on a slow machine, which the first run has to. */
const startTimeout = 30 * 60_000;
const stopTimeout = 60_000;

/** Accesses the control plane from tests and hooks; it starts before the first and stops after the last. */
export function useControlPlane(options: ControlPlaneOptions = {}): () => ControlPlane {
  let running: ControlPlane | undefined;
  beforeAll(async () => {
    running = await startControlPlane(options);
  }, startTimeout);
  afterAll(async () => {
    await running?.stop();
  }, stopTimeout);
  return () => {
    if (running === undefined) throw new Error('the control plane runs only while tests and their hooks do');
    return running;
  };
}
