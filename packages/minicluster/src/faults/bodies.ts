/** Wrappers that break an answer's body as a fault plan says. */
import { ConnectionLostError, isLive, type LiveBody, type Sink } from '../request/request.ts';
import type { WatchFault } from './plan.ts';

/** The same bytes in different chunks. */
export function rechunked(body: Uint8Array | LiveBody, size: () => number): Uint8Array | LiveBody {
  if (isLive(body)) {
    return { open: (sink) => body.open({ ...sink, write: (chunk) => pieces(chunk, size, sink) }) };
  }
  return {
    open(sink) {
      pieces(body, size, sink);
      sink.end();
      return () => undefined;
    },
  };
}

function pieces(chunk: Uint8Array, size: () => number, sink: Sink): void {
  for (let start = 0; start < chunk.length; ) {
    const end = Math.min(chunk.length, start + size());
    sink.write(chunk.subarray(start, end));
    start = end;
  }
}

/** A stream that ends, breaks or goes silent after this many chunks. */
export function breaking(body: LiveBody, fault: WatchFault, broken: () => void): LiveBody {
  return {
    open(sink) {
      let passed = 0;
      let over = false;
      let stop: (() => void) | undefined;
      const finish = (last?: Uint8Array): void => {
        over = true;
        broken();
        if (fault.kind === 'end') sink.end();
        else if (fault.kind === 'cut') {
          // A broken connection may leave half a line.
          if (last && last.length > 1) sink.write(last.subarray(0, last.length >> 1));
          sink.fail(new ConnectionLostError('The connection broke in the middle of a watch'));
        }
        stop?.();
      };
      stop = body.open({
        write(chunk) {
          if (over) return;
          if (passed++ >= fault.afterChunks) finish(chunk);
          else sink.write(chunk);
        },
        end: () => {
          if (!over) sink.end();
        },
        fail: (error) => {
          if (!over) sink.fail(error);
        },
      });
      if (over) stop();
      return () => {
        over = true;
        stop?.();
      };
    },
  };
}

/** Some events of a watch come twice in a row. Each chunk that the server writes is one event. */
export function repeating(body: LiveBody, twice: () => boolean, repeated: () => void): LiveBody {
  return {
    open: (sink) =>
      body.open({
        ...sink,
        write(chunk) {
          sink.write(chunk);
          if (!twice()) return;
          repeated();
          sink.write(chunk);
        },
      }),
  };
}
