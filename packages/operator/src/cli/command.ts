/** Every command but the operator itself; also reports errors in the operator's flags. */
import { onTermination } from '@reloader/runtime';
import { EXIT } from './failure.ts';
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

/** A reader that has closed the pipe (`| head`) is no failure; a full disk is one, and the answer is cut short. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  process.stderr.write(`reloader: Cannot write the output: ${error.message}\n`);
  process.exit(EXIT.failure);
}
