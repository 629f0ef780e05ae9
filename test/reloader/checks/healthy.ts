/** I7: in every scenario, an operator does not exit, hit a programming error or write stray output. */
import type { Allowance } from '../scene.ts';
import type { Operator } from '../stage.ts';

const STUMBLED =
  /\b(TypeError|RangeError|ReferenceError|AssertionError|MaxListenersExceeded|UnhandledPromise)/;

export function healthy(operators: readonly Operator[], { failure: mayEnd }: Allowance): string[] {
  return operators.flatMap(({ failure, log }) => [
    ...(failure === undefined || mayEnd ? [] : [`I7: an operator ended: ${failure}`]),
    ...log
      .filter(({ level }) => level === 'stray')
      .map(({ message }) => `I7: an operator wrote what is no log line: ${message}`),
    ...log
      .filter(({ message, values }) => STUMBLED.test(`${message} ${JSON.stringify(values)}`))
      .map(
        ({ message, values }) =>
          `I7: an operator stumbled: ${message} ${JSON.stringify(values).slice(0, 400)}`,
      ),
  ]);
}
