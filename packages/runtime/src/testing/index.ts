export { VirtualClock, type VirtualClockOptions } from '../clock/virtual-clock.ts';
export { type CapturingLogger, createCapturingLogger } from './capturing-logger.ts';
export { FakeInformer, type FakeInformerOptions } from './fake-informer.ts';
export { metricValue } from './metric-value.ts';
export { createRandom, forEachSeed, type Random, type SeedOptions } from './random.ts';
export {
  assertIdempotent,
  type RecordedWrite,
  type RecordingClient,
  recordWrites,
} from './recording-client.ts';
