/**
 * One sequence of numbers for everything that a stream sends: lines of workloads and events of the timeline. `epoch`
 * identifies the process: numbers of another process are not comparable.
 */
import { randomBytes } from 'node:crypto';

export class Sequence {
  readonly epoch: string;
  #last = 0;

  constructor(epoch = randomBytes(6).toString('hex')) {
    this.epoch = epoch;
  }

  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** `epoch:number`, the form that readers keep. */
  mark(number = this.#last): string {
    return `${this.epoch}:${number}`;
  }

  /** Undefined for a mark of another process. */
  parse(mark: string | undefined): number | undefined {
    const [epoch, text = ''] = (mark ?? '').split(':');
    if (epoch !== this.epoch || !/^\d{1,15}$/.test(text)) return undefined;
    const number = Number(text);
    return number <= this.#last ? number : undefined;
  }
}
