import type { Metrics } from '../metrics/metrics.ts';

export interface WebhookMetrics {
  started(path: string): void;
  finished(path: string, code: number, seconds: number): void;
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The upstream series, by path of the webhook. */
export function webhookMetrics(metrics: Metrics | undefined, paths: readonly string[]): WebhookMetrics {
  const initial = paths.map((webhook) => ({ webhook }));
  const total = metrics?.counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Admission requests by path and HTTP code',
    labelNames: ['webhook', 'code'],
    initial: paths.flatMap((webhook) => [
      { webhook, code: '200' },
      { webhook, code: '500' },
    ]),
  });
  const inFlight = metrics?.gauge({
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Admission requests being answered',
    labelNames: ['webhook'],
    initial,
  });
  const latency = metrics?.histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Time to answer an admission request',
    labelNames: ['webhook'],
    initial,
    buckets: BUCKETS,
  });
  return {
    started: (webhook) => inFlight?.add(1, { webhook }),
    finished(webhook, code, seconds) {
      inFlight?.add(-1, { webhook });
      total?.inc({ webhook, code: String(code) });
      latency?.observe(seconds, { webhook });
    },
  };
}
