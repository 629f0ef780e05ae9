import { onTermination } from '@reloader/runtime';
import { processSurroundings } from './process.ts';
import { runProgram } from './program.ts';

const [command] = process.argv.slice(2);
// The operator has its own way with signals.
const operates = command === undefined || command === 'run' || command.startsWith('-');
const ending = operates ? undefined : onTermination();
process.exitCode = await runProgram(
  process.argv.slice(2),
  processSurroundings(ending?.signal ?? new AbortController().signal),
);
ending?.dispose();
