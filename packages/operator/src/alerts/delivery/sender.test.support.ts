/** A sender on a virtual clock whose POSTs a test answers. */
import { createRegistry } from '@reloader/runtime';
import { createCapturingLogger, metricValue, VirtualClock } from '@reloader/runtime/testing';
import { onTestFinished } from 'vitest';
import { type AlertMessage, type Body, json } from '../message.ts';
import type { AlertResult } from './metrics.ts';
import type { Post } from './post.ts';
import { AlertSender, type Destination, type SenderOptions } from './sender.ts';

/** The time, the channel and the workloads of a POST: `12.5 slack web-0,web-1`. */
export type Posted = string;

export function destination(overrides: Partial<Destination> = {}): Destination {
  const { id = 'hooks' } = overrides;
  return {
    id,
    channel: 'slack',
    name: `slack of ReloaderConfig shop/${id}`,
    config: undefined,
    grouped: true,
    trusted: false,
    url: async () => new URL(`https://${id}.test/T0K3N`),
    format: () => (alert) => json(alert.messages.map(({ workload }) => workload.name)),
    ...overrides,
  };
}

export function senderOnStage(
  post: (host: string, body: Body, signal: AbortSignal) => Promise<void>,
  options: Partial<SenderOptions> = {},
) {
  const clock = options.clock instanceof VirtualClock ? options.clock : new VirtualClock();
  const metrics = createRegistry();
  const log = createCapturingLogger();
  const posted: Posted[] = [];
  const failed: string[] = [];
  const recording: Post = async ({ url }, makeBody, signal) => {
    const body = await makeBody();
    const host = url.hostname.replace('.test', '');
    posted.push(`${clock.monotonic() / 1000} ${host} ${(JSON.parse(body.text) as string[]).join()}`);
    return post(host, body, signal);
  };
  const sender = new AlertSender({
    post: recording,
    clock,
    logger: log.logger,
    metrics,
    additionalInfo: undefined,
    groupWindowMs: 2_000,
    onFailed: ({ id }, why) => void failed.push(`${id}: ${why}`),
    ...options,
  });
  const [stopping, abort] = [new AbortController(), new AbortController()];
  const start = (): Promise<void> => sender.start({ stopping: stopping.signal, abort: abort.signal });
  onTestFinished(() => {
    stopping.abort();
    abort.abort();
  });
  return {
    sender,
    clock,
    log,
    posted,
    failed,
    stopping,
    abort,
    start,
    counted: (result: AlertResult, channel = 'slack') =>
      metricValue(metrics, 'reloader_alerts_total', { channel, result }),
    queued: () => metricValue(metrics, 'reloader_alerts_queue'),
    sendAll: (to: Destination, ...messages: readonly AlertMessage[]) => {
      for (const each of messages) sender.send(to, each);
    },
  };
}

/** A promise that a test settles. */
export function held(): { readonly promise: Promise<void>; readonly release: () => void } {
  let release = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}
