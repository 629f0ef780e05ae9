/**
 * One answer for all readers that ask the same at the same time: ten pages ask for the same list when they are told of
 * the same change.
 *
 * In: questions, by a key. Out: answers. Guarantees: an answer is computed after its question was asked. While one is
 * being computed, equal questions wait for a second one, which they share.
 */
export class SameQuestions<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #waiting = new Map<string, Promise<T>>();

  answer(key: string, compute: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (!running) return this.#run(key, compute);
    const waiting = this.#waiting.get(key) ?? this.#after(running, key, compute);
    this.#waiting.set(key, waiting);
    return waiting;
  }

  async #after(running: Promise<T>, key: string, compute: () => Promise<T>): Promise<T> {
    await running.catch(() => undefined);
    this.#waiting.delete(key);
    return this.#run(key, compute);
  }

  #run(key: string, compute: () => Promise<T>): Promise<T> {
    const answer = compute().finally(() => this.#running.delete(key));
    this.#running.set(key, answer);
    return answer;
  }
}
