/**
 * Batches the log lines of one turn of the event loop into one write: on a pipe every write waits for the reader,
 * which would slow down a thousand reloads at once.
 *
 * In: lines. Out: the same lines in the same order, at the end of the turn, or at once on `flush`. Guarantees: no
 * line waits longer than a turn, and waiting lines are written when the process exits normally. A process that is
 * killed in the middle of a turn loses the lines of that turn.
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
      // There is nowhere left to report to, and no caller may fail because of it.
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

/** One for all loggers of the process, to keep the lines in order. */
export function standardError(): BatchedLines {
  if (!shared) {
    shared = inBatches({ write: (text) => process.stderr.write(text) });
    process.once('exit', shared.flush);
  }
  return shared;
}
