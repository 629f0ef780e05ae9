/** The last log lines of the operators, for the message of a failed test. */
import { RELOADED_KINDS } from '../reloader/checks/history.ts';
import { recordsOf } from '../reloader/records.ts';
import type { Storm } from './storm.ts';

/** The last lines of each operator, all in the order of their times, which are seconds of the virtual clock. */
export function storyOf({ operators, seed, clock }: Storm, lines = 10): string {
  const origin = clock.now() - clock.monotonic();
  const told = operators
    .flatMap(({ log, number }) =>
      log
        .filter(({ message }) => !message.includes('was interrupted'))
        .slice(-lines)
        .map(({ at = origin, ...line }) => ({ ...line, at, number })),
    )
    .sort((one, other) => one.at - other.at)
    .map(({ level, message, values, at, number }) => {
      const { reconcileID: _, ...rest } = values;
      const seconds = ((at - origin) / 1000).toFixed(1);
      return `  ${seconds} s [${number}] ${level} ${message} ${JSON.stringify(rest).slice(0, 300)}`;
    });
  return `seed ${seed}\n${told.join('\n')}\n`;
}

/** Every record of a workload that was ever stored. */
export function ledgerStoryOf({ chronicle }: Storm): string {
  return RELOADED_KINDS.flatMap((kind) => chronicle.refs(kind))
    .flatMap((ref) =>
      recordsOf(chronicle, ref).map(
        ({ revision, ledger }) =>
          `  ${ref.name}, revision ${revision}: ${JSON.stringify({ ...ledger, uid: '' })}`,
      ),
    )
    .join('\n');
}
