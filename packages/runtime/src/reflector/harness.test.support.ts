/** A reflector on a fake server under a virtual clock, with all its calls recorded. */
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { Stored } from '../model/types.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { createRandom } from '../testing/random.ts';
import { metadataApi, objectApi } from './api.ts';
import { FakeServer, ITEMS, type Item } from './fake-server.test.support.ts';
import { type DataEventType, Reflector, type ReflectorSink, type ReflectorTuning } from './reflector.ts';

export class RecordingSink implements ReflectorSink<Item> {
  /** The state as consumers see it. */
  readonly state = new Map<string, string>();
  version: string | undefined;
  readonly calls: string[] = [];
  #collected: Map<string, string> | undefined;

  begin(): void {
    this.#collected = new Map();
    this.calls.push('begin');
  }

  collect(type: DataEventType, object: Stored<Item>): void {
    change(this.#collected ?? new Map(), type, object);
  }

  discard(): void {
    if (this.#collected) this.calls.push('discard');
    this.#collected = undefined;
  }

  replace(version: string): void {
    this.state.clear();
    for (const [key, value] of this.#collected ?? []) this.state.set(key, value);
    this.#collected = undefined;
    this.version = version;
    this.calls.push(`replace ${version}`);
  }

  apply(type: DataEventType, object: Stored<Item>, version: string): void {
    change(this.state, type, object);
    this.version = version;
    this.calls.push(`${type} ${object.metadata.name} ${object.metadata.resourceVersion}`);
  }

  progress(version: string): void {
    this.version = version;
    this.calls.push(`progress ${version}`);
  }
}

function change(state: Map<string, string>, type: DataEventType, object: Stored<Item>): void {
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  if (type === 'DELETED') state.delete(key);
  else state.set(key, object.data?.value ?? '');
}

export interface Harness {
  readonly clock: VirtualClock;
  readonly server: FakeServer;
  readonly sink: RecordingSink;
  /** Log messages, with their level. */
  readonly lines: () => string[];
  readonly reflector: Reflector<Item>;
  readonly problems: string[];
  readonly relists: string[];
  readonly malformed: string[];
  readonly phases: string[];
  /** The requested verbs, with the version if one was given. */
  readonly asked: () => string[];
  readonly stop: () => Promise<void>;
}

export interface HarnessOptions {
  readonly tuning?: ReflectorTuning;
  readonly seed?: number;
  readonly metadataOnly?: boolean;
  /** Called before the reflector starts. */
  readonly prepare?: (server: FakeServer) => void;
}

/** Starts, and returns once nothing more happens without advancing the clock. */
export async function startReflector(options: HarnessOptions = {}): Promise<Harness> {
  const clock = new VirtualClock();
  const server = new FakeServer(clock);
  options.prepare?.(server);
  const sink = new RecordingSink();
  const log = createCapturingLogger('info');
  const record = { problems: [], relists: [], malformed: [], phases: [] } as Record<string, string[]>;
  const { problems = [], relists = [], malformed = [], phases = [] } = record;
  const reflector = new Reflector<Item>({
    type: ITEMS,
    api: options.metadataOnly ? metadataApi(server, ITEMS) : objectApi(server, ITEMS),
    sink,
    clock,
    logger: log.logger,
    random: createRandom(options.seed ?? 1).next,
    observer: {
      problem: ({ kind }) => problems.push(kind),
      relist: (cause) => relists.push(cause),
      malformed: (reason) => malformed.push(reason),
      phaseChanged: ({ phase }) => phases.push(phase),
    },
    ...(options.tuning ? { tuning: options.tuning } : {}),
  });
  const controller = new AbortController();
  const running = reflector.run(controller.signal);
  await clock.settle();
  const stop = async (): Promise<void> => {
    controller.abort();
    await running;
  };
  const asked = (): string[] =>
    server.asked.map(({ verb, options: { resourceVersion, continue: token, limit } }) =>
      [verb, token ? 'continue' : (resourceVersion ?? 'newest'), limit ? `limit ${limit}` : '']
        .join(' ')
        .trim(),
    );
  const lines = (): string[] => log.entries.map(({ level, message }) => `${level} ${message}`);
  return { clock, server, sink, lines, reflector, problems, relists, malformed, phases, asked, stop };
}

/** The server's state in the recording sink's form. */
export function stateOf(server: FakeServer): Map<string, string> {
  return new Map([...server.objects()].map(([key, object]) => [key, object.data?.value ?? '']));
}
