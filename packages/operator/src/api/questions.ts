/**
 * Limits expensive requests, so that slow ones do not block other readers.
 *
 * In: questions, each with its reader. Out: answers, or the reason why there is none. Guarantees: a new question is
 * always accepted; if there are too many, the oldest question of the reader with the most is aborted; none takes longer
 * than the limit. The work's signal tells it that it was aborted.
 */
import { type Clock, sleep, systemClock } from '@reloader/runtime';

/** A prediction may cost requests to the API server, and reloads come first. */
const MOST_AT_ONCE = 16;
const LONGEST_MS = 10_000;

export class GivenUpError extends Error {
  override name = 'GivenUpError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Question {
  readonly reader: string;
  readonly ending: AbortController;
}

export class Questions {
  readonly #clock: Clock;
  readonly #most: number;
  /** The oldest first. */
  readonly #underWay = new Set<Question>();

  constructor({ clock = systemClock, most = MOST_AT_ONCE }: { clock?: Clock; most?: number } = {}) {
    this.#clock = clock;
    this.#most = most;
  }

  /**
   * Rejects with `GivenUpError`, or as the work does. `signal` is the caller's, which aborts if the caller goes away.
   */
  async answer<T>(
    reader: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#underWay.size >= this.#most) this.#giveOneUp();
    const question: Question = { reader, ending: new AbortController() };
    this.#underWay.add(question);
    const done = new AbortController();
    const { ending } = question;
    void sleep(this.#clock, LONGEST_MS, done.signal).then(
      () => ending.abort(new GivenUpError(504, `No answer within ${LONGEST_MS / 1000} s: ask again later`)),
      () => undefined,
    );
    try {
      const either = AbortSignal.any([signal, ending.signal]);
      // The work may be slow to notice its signal; the caller gets the rejection at once.
      return await Promise.race([work(either), rejectionOf(ending.signal)]);
    } finally {
      done.abort();
      this.#underWay.delete(question);
    }
  }

  #giveOneUp(): void {
    const counts = new Map<string, number>();
    for (const { reader } of this.#underWay) counts.set(reader, (counts.get(reader) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const question of this.#underWay) {
      if (counts.get(question.reader) !== most) continue;
      this.#underWay.delete(question);
      question.ending.abort(new GivenUpError(503, 'Too many questions at once: ask again in a moment'));
      return;
    }
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
