/**
 * Lines of one turn of the event loop, written together: on a pipe every write waits for the reader, which a thousand
 * reloads at once would feel.
 *
 * In: lines. Out: the same lines in the same order, at the end of the turn, or at once when `flush` is called.
 * Guarantees: nothing waits longer than a turn, and what waits is written when the process exits in order. A process
 * that is killed in the middle of a turn takes the lines of that turn with it.
 */
export interface BatchedLines {
  write(line: string): void;
  flush(): void;
}

export function inBatches(destination: { write(text: string): unknown }): BatchedLines {
  let waiting = '';
  const flush = (): void => {
    const lines = waiting;
    waiting = '';
    try {
      if (lines !== '') destination.write(lines);
    } catch {
      // There is nowhere left to report to, and nobody's work may fail for it.
    }
  };
  return {
    flush,
    write(line) {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
  };
}

let shared: BatchedLines | undefined;

/** One for all loggers of the process, so that their lines keep their order. */
export function standardError(): BatchedLines {
  if (!shared) {
    shared = inBatches({ write: (text) => process.stderr.write(text) });
    process.once('exit', shared.flush);
  }
  return shared;
}
