/**
 * Turns the body of a watch into the events of a `WatchStream`.
 *
 * In: bytes, by default one JSON document per line. Out: events in order. Ends when the server closed the stream
 * cleanly. A last line without a line end counts if it is a complete document, otherwise it was cut: `DecodeError`.
 */
import type { Clock } from '../../clock/clock.ts';
import { EventLoopBudget } from '../../clock/event-loop-budget.ts';
import type { KubernetesObject, Status, Stored } from '../../model/types.ts';
import type { TakesEvent, WatchEvent, WatchStream } from '../client.ts';
import { apiErrorFrom, DecodeError } from '../errors.ts';
import { isRecord, parseJson } from './json.ts';
import { LineSplitter } from './lines.ts';

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export interface WatchDecoding {
  readonly maxBytes: number;
  readonly clock: Clock;
  /** The request in words, for messages. */
  readonly request: string;
  /** Called for an unknown event type; the event is skipped. */
  readonly onUnknownType: (type: string) => void;
}

/** How events are cut out of the bytes of a body, and decoded. */
export interface WatchFraming<T extends KubernetesObject, Frame> {
  /** The complete frames, each valid until the next one is asked for. */
  push(chunk: Uint8Array): Iterator<Frame, void, undefined>;
  /** At the end of the body: a last frame without an end, or undefined. */
  end(): Frame | undefined;
  /** Undefined for a type of event that is not known. */
  eventOf(frame: Frame): WatchEvent<T> | undefined;
}

/** One JSON document per line. */
class JsonLines<T extends KubernetesObject> implements WatchFraming<T, string> {
  readonly #decoding: WatchDecoding;
  readonly #splitter: LineSplitter;
  #defect = 'sent a line that is not a watch event';

  constructor(decoding: WatchDecoding) {
    this.#decoding = decoding;
    this.#splitter = new LineSplitter(decoding.maxBytes, `A line of ${decoding.request}`);
  }

  push(chunk: Uint8Array): Iterator<string, void, undefined> {
    return this.#splitter.push(chunk);
  }

  end(): string | undefined {
    this.#defect = 'ended in the middle of a line';
    return this.#splitter.end() || undefined;
  }

  eventOf(line: string): WatchEvent<T> | undefined {
    return eventFrom<T>(line, this.#decoding, this.#defect);
  }
}

/** Plain promises instead of chained async generators, to save memory: see `bodyOf`. */
export function watchEvents<T extends KubernetesObject, Frame = string>(
  body: AsyncIterable<Uint8Array>,
  decoding: WatchDecoding,
  framing = new JsonLines<T>(decoding) as unknown as WatchFraming<T, Frame>,
): WatchStream<T> & WatchIterator<T> {
  const chunks = body[Symbol.asyncIterator]();
  const loopBudget = new EventLoopBudget(decoding.clock);
  let frames: Iterator<Frame, void, undefined> | undefined;
  let over = false;

  /** From buffered frames, without waiting. */
  function buffered(takes: TakesEvent<T> | undefined): WatchEvent<T> | undefined {
    for (let frame = frames?.next(); frame && !frame.done; frame = frames?.next()) {
      const event = framing.eventOf(frame.value);
      if (event && !takes?.(event)) return event;
    }
    // A finished iterator still references its chunk.
    frames = undefined;
    return undefined;
  }

  function last(): WatchEvent<T> | undefined {
    over = true;
    const rest = framing.end();
    return rest === undefined ? undefined : framing.eventOf(rest);
  }

  async function next(takes?: TakesEvent<T>): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    const pause = loopBudget.pause();
    if (pause) await pause;
    try {
      let event = buffered(takes);
      while (!event && !over) {
        const chunk = await chunks.next();
        if (chunk.done) event = last();
        else {
          frames = framing.push(chunk.value);
          const full = loopBudget.pause();
          if (full) await full;
          event = buffered(takes);
        }
      }
      return event ? { done: false, value: event } : DONE;
    } catch (error) {
      await end();
      throw error;
    }
  }

  async function end(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    over = true;
    frames = undefined;
    await chunks.return?.();
    return DONE;
  }

  return {
    next,
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

type WatchIterator<T extends KubernetesObject> = AsyncIterableIterator<
  WatchEvent<T>,
  undefined,
  TakesEvent<T> | undefined
>;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

function eventFrom<T extends KubernetesObject>(
  line: string,
  decoding: WatchDecoding,
  defect: string,
): WatchEvent<T> | undefined {
  const event = documentOf(line, decoding, defect);
  const { type, object } = event;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      // The server stores no object without name, uid and version, so they are not checked here.
      return { type, object: object as unknown as Stored<T> };
    case 'BOOKMARK':
      return bookmarkFrom(object, decoding);
    case 'ERROR':
      throw apiErrorFrom(statusFrom(object), { request: decoding.request });
    default:
      decoding.onUnknownType(type);
      return undefined;
  }
}

function documentOf(
  line: string,
  decoding: WatchDecoding,
  defect: string,
): { readonly type: string; readonly object: Record<string, unknown> } {
  let document: unknown;
  try {
    document = parseJson(line, 'The line');
  } catch {
    document = undefined;
  }
  if (isRecord(document) && typeof document.type === 'string' && isRecord(document.object)) {
    return { type: document.type, object: document.object };
  }
  // The line may hold a Secret, so the message only gives its length.
  throw new DecodeError(
    `${decoding.request}: the server ${defect} (${line.length} characters): watch again from the last known version, and look for a proxy that cuts or changes answers if this repeats`,
  );
}

function bookmarkFrom<T extends KubernetesObject>(
  object: Record<string, unknown>,
  decoding: WatchDecoding,
): WatchEvent<T> {
  const { metadata } = object;
  const resourceVersion = isRecord(metadata) ? metadata.resourceVersion : undefined;
  if (typeof resourceVersion !== 'string') {
    throw new DecodeError(`${decoding.request}: the server sent a bookmark without a resourceVersion`);
  }
  const annotations = isRecord(metadata) ? metadata.annotations : undefined;
  const initialEventsEnd = isRecord(annotations) && annotations[INITIAL_EVENTS_END] === 'true';
  return { type: 'BOOKMARK', resourceVersion, initialEventsEnd };
}

function statusFrom(object: Record<string, unknown>): Status {
  if (object.kind === 'Status') return object as Status;
  return { code: 500, reason: 'InternalError', message: 'the watch failed without saying why' };
}
