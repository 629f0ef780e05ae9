/** The process. Running the operator loads nothing of the other commands: it stays, and they would stay with it. */
import { setFlagsFromString } from 'node:v8';
import { UsageError } from '../settings/usage-error.ts';
import { isBare, startsByItself } from './bare.ts';

const argv = process.argv.slice(2);
const [command] = argv;
const operates = isBare(argv)
  ? startsByItself(process.stdin.isTTY === true, process.env)
  : command === 'run' && !argv.some((word) => ['--help', '-h', '--version'].includes(word));

async function operate(): Promise<void> {
  // The first list of a large cluster is garbage as soon as it is hashed: let the heap grow in small steps, or it keeps
  // the size of that moment for as long as the process lives.
  setFlagsFromString('--heap-growing-percent=15');
  const [{ operate: run }, { runOperator }] = await Promise.all([
    import('./operate.ts'),
    import('../operator.ts'),
  ]);
  const code = await run(command === 'run' ? argv.slice(1) : argv, process.env, runOperator);
  // Whatever still holds the process has had its time to end.
  process.exit(code);
}

async function otherwise(): Promise<void> {
  const { runCommand } = await import('./command.ts');
  process.exitCode = await runCommand(argv, !operates);
}

if (!operates) await otherwise();
else {
  await operate().catch((error: unknown) => {
    if (error instanceof UsageError) return otherwise();
    throw error;
  });
}
