/** The destination of audit lines: `-` for standard output, otherwise a file that is only appended to. */
import { openSync, writeSync } from 'node:fs';
import type { Logger } from '@reloader/runtime';

const STANDARD_OUTPUT = 1;

/**
 * Stays open for the life of the process. Throws if that fails: the operator must not run without a configured audit
 * log.
 */
export function openAuditLog(path: string, logger: Logger): (line: string) => void {
  const file = path === '-' ? STANDARD_OUTPUT : open(path);
  let told = false;
  return (line) => {
    try {
      writeSync(file, line);
      told = false;
    } catch (error) {
      if (!told) logger.error('The audit log cannot be written; reloads go on', { path, error });
      told = true;
    }
  };
}

function open(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`--audit-log=${path} cannot be opened: ${why}`, { cause: error });
  }
}
