/** The process. Running the operator loads nothing of the other commands: it stays, and they would stay with it. */
import { UsageError } from '../settings/usage-error.ts';
import { isBare, startsByItself } from './bare.ts';
import { setEngineFlags } from './engine-flags.ts';

const argv = process.argv.slice(2);
const [command] = argv;
const operates = isBare(argv)
  ? startsByItself(process.stdin.isTTY === true, process.env)
  : command === 'run' && !argv.some((word) => ['--help', '-h', '--version'].includes(word));

async function operate(): Promise<void> {
  setEngineFlags();
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
