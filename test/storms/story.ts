/** The last log lines of the operators, for the message of a failed test. */
import { RELOADED_KINDS } from '../reloader/checks/history.ts';
import { recordsOf } from '../reloader/records.ts';
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
