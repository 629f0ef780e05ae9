/** Every command but the operator itself; also reports errors in the operator's flags. */
import { onTermination } from '@reloader/runtime';
import { processSurroundings } from './process.ts';
import { runProgram } from './program.ts';

/** `endsBySignal`: Ctrl-C aborts the command. The operator handles signals itself. */
export async function runCommand(argv: readonly string[], endsBySignal: boolean): Promise<number> {
  process.stdout.on('error', endWithReader);
  const ending = endsBySignal ? onTermination() : undefined;
  const signal = ending?.signal ?? new AbortController().signal;
  try {
    return await runProgram(argv, processSurroundings(signal));
  } finally {
    ending?.dispose();
  }
}

/** The reader of the output has closed the pipe (`| head`): that is no failure. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}
