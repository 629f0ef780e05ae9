/**
 * The `reloader` command.
 *
 * In: arguments, and what runs the operator. Out: the exit code. Everything but running the operator works without a
 * cluster. Flags without a command run the operator, as those of Stakater Reloader do.
 */
import { Command, CommanderError } from 'commander';
import { generatedCrds } from '../crds/generate.ts';
import { helpText } from '../settings/help.ts';
import { nearest } from '../settings/nearest.ts';
import { UsageError } from '../settings/usage-error.ts';
import { packageVersion } from './version.ts';

export const EXIT = { ok: 0, failure: 1, usage: 2 } as const;

export interface ProgramOptions {
  /** Runs the operator with these flags until it ends. Resolves with the exit code; throws `UsageError`. */
  readonly operate: (flags: readonly string[]) => Promise<number>;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

export async function runProgram(argv: readonly string[], options: ProgramOptions): Promise<number> {
  let code: number = EXIT.ok;
  const program = new Command('reloader')
    .exitOverride()
    .configureOutput({ writeOut: options.print, writeErr: () => undefined })
    .configureHelp({ formatHelp: helpText })
    .helpCommand(false)
    .version(versionLine(), '--version');
  program
    .command('run', { isDefault: true })
    // Flags are read by our own table: theirs are the rules of Go, not those of commander.
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_options: unknown, command: Command) => {
      code = await options.operate(command.args);
    });
  program.command('version').action(() => options.print(`${versionLine()}\n`));
  program.command('crds').action(() => options.print([...generatedCrds().values()].join('---\n')));
  try {
    refuseUnknownCommand(argv[0], program);
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    if (!(error instanceof CommanderError) && !(error instanceof UsageError)) throw error;
    const message = error.message.replace(/^error: /, '');
    options.complain(`reloader: ${message}\nRun "reloader --help" for all flags and commands\n`);
    return EXIT.usage;
  }
}

function refuseUnknownCommand(word: string | undefined, program: Command): void {
  const names = program.commands.map((command) => command.name());
  if (word === undefined || word.startsWith('-') || names.includes(word)) return;
  const close = nearest(word, names);
  throw new UsageError(
    `Unknown command "${word}": ${close ? `did you mean ${close}?` : `there are ${names.join(', ')}`}`,
  );
}

function versionLine(): string {
  return `reloader ${packageVersion()} (Node ${process.versions.node})`;
}
