/** Commands about the command itself. */
import { Argument, type Command } from 'commander';
import type { CommandIO } from '../command-io.ts';
import { DATA_FORMATS } from '../output.ts';
import { add, asking } from './common.ts';

export function defineOneself(program: Command, io: CommandIO): void {
  const { print } = io;
  add(
    program,
    'completion',
    'print the completion script of a shell',
    'prints the completion script of a shell. Names of objects and namespaces are read from your cluster as you type',
  )
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', '\nTry: source <(reloader completion bash)')
    .action(async (shell: 'bash' | 'zsh' | 'fish') =>
      print((await import('../completion/scripts.ts')).completionScript(shell)),
    );
  asking(
    add(
      program,
      'version',
      'print the versions of this command, of the operator and of Kubernetes',
      'prints the versions of this command, of the operator that runs and of Kubernetes. What cannot be reached is said, and is no failure',
    ),
    DATA_FORMATS,
  )
    .option('--client', 'only that of this command, without a cluster')
    .action(async (options) => (await import('../commands/version.ts')).versionCommand(options, io));
  // Answered before commands are parsed (program.ts); defined here for help and documentation.
  add(program, 'help', 'print the help of a command').argument('[command]', 'all commands without one');
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (_words: string[], _options: unknown, command: Command) => {
      const { complete } = await import('../completion/complete.ts');
      print(await complete(command.args, program, io));
    });
}
