/**
 * The `reloader` command.
 *
 * In: arguments, and the CommandIO. Out: the exit code. Flags without a command run the operator, as those of Stakater
 * Reloader do. An error is one line on standard error: exit code 2 for wrong usage, 1 for everything else; a stack is
 * printed only with `--debug`, or for a bug of this program.
 */
import { type Command, CommanderError } from 'commander';
import { nearest } from '../reloader/model/nearest.ts';
import { UsageError } from '../settings/usage-error.ts';
import { isBare } from './bare.ts';
import type { CommandIO } from './command-io.ts';
import { defineCommands } from './define.ts';
import { EXIT, messageOf } from './failure.ts';

export { EXIT };

export async function runProgram(argv: readonly string[], io: CommandIO): Promise<number> {
  const { print, complain, programName } = io;
  let code: number = EXIT.ok;
  const program = defineCommands(io, (given) => {
    code = given;
  });
  program.exitOverride().configureOutput({ writeOut: print, writeErr: () => undefined });
  program.hook('preAction', (_program, command) => refuseEmptyValues(command));
  const names = program.commands.map((command) => command.name()).filter((name) => !name.startsWith('__'));
  for (const command of program.commands) {
    command.exitOverride().configureOutput({ writeOut: print, writeErr: () => undefined });
  }
  try {
    const words = withoutHelpCommand(argv);
    refuseUnknownCommand(words[0], names);
    if (isBare(words) && !io.startsByItself) {
      if (words.length > 0) throw new UsageError(needsRun(words, names, programName));
      words.push('--help');
    }
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    if (error instanceof CommanderError || error instanceof UsageError) {
      const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
      complain(
        `reloader: ${message}\nRun "${helpFor(argv[0], names, programName)}" for what can be written\n`,
      );
      return EXIT.usage;
    }
    // Ctrl-C needs no message.
    if (io.signal.aborted) return EXIT.failure;
    const message = messageOf(error);
    if (message === undefined || argv.includes('--debug')) throw error;
    complain(`reloader: ${message}\n`);
    return EXIT.failure;
  }
}

/** An empty reason is none, and an empty list of features has none. */
const MAY_BE_EMPTY = ['reason', 'with'];

/**
 * An empty value is a variable that a script forgot to set. `cleanup -n "$NAMESPACE"` would act on all namespaces, and
 * `manifests --namespaces "$NAMESPACES"` would print rights in all of them.
 */
function refuseEmptyValues(command: Command): void {
  const empty = command.options.find((option) => {
    const name = option.attributeName();
    const values = [command.getOptionValue(name)].flat() as unknown[];
    return !MAY_BE_EMPTY.includes(name) && values.some((value) => typeof value === 'string' && !value.trim());
  });
  if (empty) throw new UsageError(`${empty.flags}: the value is empty. Give one, or leave the option out`);
}

function helpFor(word: string | undefined, names: readonly string[], programName: string): string {
  const isCommand = word !== undefined && word !== 'help' && names.includes(word);
  return isCommand ? `${programName} ${word} --help` : `${programName} --help`;
}

/** `help explain` is `explain --help`. */
function withoutHelpCommand([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return [];
  return first === 'help' ? [...rest.slice(0, 1), '--help'] : [first, ...rest];
}

/** For flags without a command, where they do not start the operator. */
function needsRun(words: readonly string[], names: readonly string[], programName: string): string {
  const command = words.find((word) => names.includes(word));
  return command === undefined
    ? `Flags alone start the operator only in a pod: write "${programName} run ${words.join(' ')}"`
    : `Options stand after the command: write "${programName} ${command} …"`;
}

function refuseUnknownCommand(word: string | undefined, names: readonly string[]): void {
  if (word === undefined || /^(-|__)/.test(word) || names.includes(word)) return;
  const close = nearest(word, names);
  throw new UsageError(
    `Unknown command "${word}": ${close ? `did you mean ${close}?` : `there are ${names.join(', ')}`}`,
  );
}
