/**
 * Shows on standard error what the command does if it takes longer than a second, and removes it afterwards. Only on a
 * terminal.
 */
import type { CommandIO } from './command-io.ts';

const AFTER_MS = 1_000;

export async function withProgress<T>(
  what: string,
  { clock, complain, showsProgress }: Pick<CommandIO, 'clock' | 'complain' | 'showsProgress'>,
  work: () => Promise<T>,
): Promise<T> {
  if (!showsProgress) return work();
  let shown = false;
  const timer = clock.setTimeout(() => {
    shown = true;
    complain(`${what} …`);
  }, AFTER_MS);
  try {
    return await work();
  } finally {
    timer.cancel();
    if (shown) complain('\r\u001b[K');
  }
}
