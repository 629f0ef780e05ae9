export { VirtualClock, type VirtualClockOptions } from '../clock/virtual-clock.ts';
export { type CapturingLogger, createCapturingLogger } from './capturing-logger.ts';
export { metricValue } from './metric-value.ts';
export { createRandom, forEachSeed, type Random, type SeedOptions } from './random.ts';
