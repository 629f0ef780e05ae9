export type { Counter, Gauge, Histogram, Labels, MetricOptions, Metrics } from './metrics.ts';
export { createRegistry, type RegistryOptions } from './registry.ts';
export { CONTENT_TYPE as METRICS_CONTENT_TYPE } from './text-format.ts';
