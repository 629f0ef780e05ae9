/** The metrics of alerts. All series exist from the start, and no more are added. */
import type { Metrics } from '@reloader/runtime';
import { ALERT_CHANNELS, type AlertChannelName } from '../../reloader/model/config.ts';

export type ChannelLabel = AlertChannelName | 'raw';
/**
 * `sent` and `failed` count messages that are done; `retried` counts attempts in between, `dropped` messages that did
 * not fit the queue or expired.
 */
export type AlertResult = (typeof RESULTS)[number];

const CHANNELS: readonly ChannelLabel[] = [...ALERT_CHANNELS, 'raw'];
const RESULTS = ['sent', 'failed', 'retried', 'dropped'] as const;

export interface AlertMetrics {
  count(channel: ChannelLabel, result: AlertResult): void;
}

export function createAlertMetrics(metrics: Metrics, waiting: () => number): AlertMetrics {
  const total = metrics.counter({
    name: 'reloader_alerts_total',
    help: 'Alerts by channel and result',
    labelNames: ['channel', 'result'],
    initial: CHANNELS.flatMap((channel) => RESULTS.map((result) => ({ channel, result }))),
  });
  const queue = metrics.gauge({ name: 'reloader_alerts_queue', help: 'Alerts that wait to be sent' });
  metrics.onScrape(() => queue.set(waiting()));
  return { count: (channel, result) => total.inc({ channel, result }) };
}
