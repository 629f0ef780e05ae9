/** The controller with its caches and events, as a process would run it. */
import { type Client, type Clock, createEventRecorder, type Logger, Manager } from '@reloader/runtime';
import { type RecordedWrite, type RecordingClient, recordWrites } from '@reloader/runtime/testing';
import { createPodConfig } from '../../packages/operator/src/podconfig/controller.ts';
import { inlineRenderer } from '../../packages/operator/src/template/renderer.ts';

export interface RunningOptions {
  readonly connect: () => Client;
  readonly clock: Clock;
  /** The only namespace to watch; all unless given. */
  readonly namespace?: string;
  readonly logger?: Logger;
}

export class RunningController {
  readonly #stop = new AbortController();
  readonly #clients: Client[];
  readonly #recording: RecordingClient;
  readonly #running: Promise<void>;

  constructor({ connect, clock, namespace, logger }: RunningOptions) {
    const [client, writer, forEvents] = [connect(), connect(), connect()];
    this.#clients = [client, writer, forEvents];
    this.#recording = recordWrites(writer);
    const common = { clock, ...(logger && { logger }) };
    const events = createEventRecorder({ client: forEvents, component: 'podconfig', ...common });
    const { runnables } = createPodConfig({
      ...{ client, writer: this.#recording.client, events, templates: inlineRenderer },
      ...(namespace !== undefined && { namespaces: [namespace] }),
      ...common,
    });
    const manager = new Manager({ clock });
    manager.add(events, ...runnables);
    this.#running = manager.run(this.#stop.signal);
    this.#running.catch(() => undefined);
  }

  takeWrites(): RecordedWrite[] {
    return this.#recording.takeWrites();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}
