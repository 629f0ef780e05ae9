/** The entry point of the process. The operator does not load the other commands, which would stay in its memory. */
import { UsageError } from '../settings/usage-error.ts';
import { isBare, startsByItself } from './bare.ts';
import { setEngineFlags } from './engine-flags.ts';

const argv = process.argv.slice(2);
const [command] = argv;
const operates = isBare(argv)
  ? startsByItself(process.stdin.isTTY === true, process.env, process.argv[1])
  : command === 'run' && !argv.some((word) => ['--help', '-h', '--version'].includes(word));

async function operate(): Promise<void> {
  setEngineFlags();
  const [{ operate: run }, { runOperator }] = await Promise.all([
    import('./operate.ts'),
    import('../operator.ts'),
  ]);
  const code = await run(command === 'run' ? argv.slice(1) : argv, process.env, runOperator);
  // Does not wait for open handles: everything that had to end in order has ended.
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
