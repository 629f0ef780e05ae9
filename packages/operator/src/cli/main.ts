import { runOperator } from '../operator.ts';
import { operate } from './operate.ts';
import { runProgram } from './program.ts';

process.exitCode = await runProgram(process.argv.slice(2), {
  operate: async (flags) => {
    const code = await operate(flags, process.env, runOperator);
    // Whatever still holds the process has had its time to end.
    process.exit(code);
  },
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
});
