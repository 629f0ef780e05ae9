export { VirtualClock, type VirtualClockOptions } from '../clock/virtual-clock.ts';
export { type CapturingLogger, createCapturingLogger } from './capturing-logger.ts';
export { FakeInformer, type FakeInformerOptions } from './fake-informer.ts';
export { installCrd } from './install-crd.ts';
export { metricValue } from './metric-value.ts';
export { createRandom, forEachSeed, type Random, type SeedOptions } from './random.ts';
export {
  assertIdempotent,
  type RecordedWrite,
  type RecordingClient,
  recordWrites,
} from './recording-client.ts';
export { assertRights, type RightsRecorder, recordRights, type UsedRight } from './rights.ts';
export { type RunningOperator, runOperator } from './run-operator.ts';
export { eventually, settle, type WaitOptions } from './waiting.ts';
