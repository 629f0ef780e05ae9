/** Counts attempts and measures the time to the answer's headers, under client-go's metric names. */
import type { Clock } from '../../clock/clock.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Send } from './request.ts';

const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** client-go's label for attempts without an answer. */
const NO_ANSWER = '<error>';

export function measured(metrics: Metrics, clock: Clock, host: string, next: Send): Send {
  const requests = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method and host',
    labelNames: ['code', 'method', 'host'],
  });
  const duration = metrics.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time from sending a request to the head of its answer, by verb and host',
    labelNames: ['verb', 'host'],
    buckets: BUCKETS,
  });
  return async (request) => {
    const { method } = request;
    const start = clock.monotonic();
    let code = NO_ANSWER;
    try {
      const response = await next(request);
      code = String(response.status);
      return response;
    } finally {
      requests.inc({ code, method, host });
      duration.observe((clock.monotonic() - start) / 1000, { verb: method, host });
    }
  };
}
