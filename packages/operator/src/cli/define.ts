/**
 * All commands with their arguments, options and help: for the parser, for `--help` and the documentation, and for
 * completion. The implementation of a command is loaded when it is called: the operator needs none of them.
 */
import { Command } from 'commander';
import { helpText } from '../settings/help.ts';
import { versionLine } from '../settings/version.ts';
import type { CommandIO } from './command-io.ts';
import type { Exit } from './definitions/common.ts';
import { defineFiles } from './definitions/files.ts';
import { defineOneself } from './definitions/oneself.ts';
import { defineQuestions } from './definitions/questions.ts';
import { defineWriting } from './definitions/writing.ts';

const AFTER_HELP = `
"reloader run" starts the operator; in a pod, flags alone do so, too.
"reloader run --help" lists its flags.

Exit codes: 0 done; 1 failed, or check or lint found something; 2 wrong usage.`;

export function defineCommands(io: CommandIO, exit: Exit): Command {
  const program = new Command(io.programName)
    .description('Restarts the workloads whose Secrets and ConfigMaps changed, and tells why.')
    .helpCommand(false)
    .version(versionLine(), '--version', 'print the version')
    .addHelpText('after', AFTER_HELP);
  defineRunning(program, io, exit);
  defineQuestions(program, io, exit);
  defineFiles(program, io, exit);
  defineWriting(program, io);
  defineOneself(program, io);
  return program;
}

function defineRunning(program: Command, { operate }: CommandIO, exit: Exit): void {
  program
    .command('run', { isDefault: true })
    .summary('run the operator')
    .description('Runs the operator until it is told to stop.')
    .usage('[flags]')
    .configureHelp({ formatHelp: () => helpText() })
    // The operator's flags have a table of their own: they follow Go's rules, not commander's.
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_options: unknown, command: Command) => exit(await operate(command.args)));
}
