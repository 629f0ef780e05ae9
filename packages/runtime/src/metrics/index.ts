export { createEventLoopMonitor, type EventLoopLag, type EventLoopMonitor } from './event-loop-lag.ts';
export type { Counter, Gauge, Histogram, Labels, MetricOptions, Metrics } from './metrics.ts';
export { collectProcessMetrics, type ProcessMetricsOptions } from './process-metrics.ts';
export { createRegistry, type RegistryOptions } from './registry.ts';
export { CONTENT_TYPE as METRICS_CONTENT_TYPE } from './text-format.ts';
