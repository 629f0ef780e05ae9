/**
 * One row of numbers for everything that a reader of the stream can miss: lines of workloads and events of the timeline.
 * `epoch` tells processes apart: a number of another one means nothing here.
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

  /** `epoch:number`, as readers keep it. */
  mark(number = this.#last): string {
    return `${this.epoch}:${number}`;
  }

  /** Undefined for what this process did not hand out. */
  parse(mark: string | undefined): number | undefined {
    const [epoch, text = ''] = (mark ?? '').split(':');
    if (epoch !== this.epoch || !/^\d{1,15}$/.test(text)) return undefined;
    const number = Number(text);
    return number <= this.#last ? number : undefined;
  }
}
