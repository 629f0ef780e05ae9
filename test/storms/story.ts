/** What operators said last, for the message of a test that fails. */
import type { Storm } from './storm.ts';

export function storyOf({ operators, seed }: Storm, lines = 10): string {
  const told = operators.flatMap(({ log, number }) =>
    log
      .filter(({ message }) => !message.includes('was interrupted'))
      .slice(-lines)
      .map(({ level, message, values }) => {
        const { reconcileID: _, ...rest } = values;
        return `  [${number}] ${level} ${message} ${JSON.stringify(rest).slice(0, 300)}`;
      }),
  );
  return `seed ${seed}\n${told.join('\n')}\n`;
}
