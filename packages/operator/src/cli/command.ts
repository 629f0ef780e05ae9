/** Every command but the operator itself; also says what is wrong with the operator's flags. */
import { onTermination } from '@reloader/runtime';
import { processSurroundings } from './process.ts';
import { runProgram } from './program.ts';

/** `endsBySignal`: Ctrl-C aborts what runs. The operator has its own way with signals. */
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

/** Whoever reads our output has enough (`| head`): that is no failure. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}
