/**
 * All commands with their arguments, options and help: what is parsed, what `--help` and the documentation show, and
 * what shells complete. What a command does is loaded when it is called: the operator needs none of it.
 */
import { Argument, Command } from 'commander';
import { helpText } from '../settings/help.ts';
import { packageVersion } from '../settings/version.ts';
import { addClusterOptions, addOperatorOptions, addOutputOption } from './output.ts';
import type { Surroundings } from './surroundings.ts';

const AFTER_HELP = `
Without a command, or with flags alone, the operator runs: see "reloader run --help" for its flags.

Exit codes: 0 done; 1 failed, or lint found something; 2 wrong usage.`;

type Exit = (code: number) => void;

export function defineCommands(surroundings: Surroundings, exit: Exit): Command {
  const program = new Command(surroundings.programName)
    .description('Restarts the workloads whose Secrets and ConfigMaps changed, and tells why.')
    .helpCommand(false)
    .version(versionLine(), '--version', 'print the version')
    .addHelpText('after', AFTER_HELP);
  defineRunning(program, surroundings, exit);
  defineQuestions(program, surroundings);
  defineFiles(program, surroundings, exit);
  defineWriting(program, surroundings);
  defineOneself(program, surroundings);
  return program;
}

function add(program: Command, name: string, summary: string, description = summary): Command {
  return program.command(name).summary(summary).description(sentence(description));
}

function sentence(text: string): string {
  const [first = '', ...rest] = text;
  return `${first.toUpperCase()}${rest.join('')}.`;
}

function debuggable(command: Command): Command {
  return command.option('--debug', 'print the stack of an error');
}

function asking(command: Command): Command {
  return debuggable(addOutputOption(addOperatorOptions(addClusterOptions(command))));
}

function defineRunning(program: Command, { operate, demo }: Surroundings, exit: Exit): void {
  program
    .command('run', { isDefault: true })
    .summary('run the operator')
    .description('Runs the operator until it is told to stop.')
    .usage('[flags]')
    .configureHelp({ formatHelp: () => helpText() })
    // Flags are read by our own table: theirs are the rules of Go, not those of commander.
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_options: unknown, command: Command) => exit(await operate(command.args)));
  add(
    program,
    'demo',
    'run the operator on a cluster inside this process, and watch it work',
    'runs the operator on a cluster inside this process and changes a few things, so that there is something to see. The kubeconfig that it prints works with kubectl and with the other commands. With --kubeconfig it runs on that cluster and creates nothing there',
  )
    .usage('[--port N] [--kubeconfig FILE] [flags of the operator]')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_options: unknown, command: Command) => exit(await demo(command.args)));
}

function defineQuestions(program: Command, surroundings: Surroundings): void {
  asking(
    add(
      program,
      'explain',
      'why a workload is or is not reloaded',
      'tells which sources a workload watches and by which rule, what is recorded against what is, what is pending until when and why, and what is not watched and why not. The running operator is asked; where it cannot be, the command reads the cluster with your rights and decides by the same functions, and says what it cannot know',
    ),
  )
    .argument('<object...>', 'the workload, as in deployment/web or sts web')
    .action(async (words: string[], options) =>
      (await import('./commands/explain.ts')).explainCommand(words, options, surroundings),
    );
  asking(
    add(
      program,
      'what-if',
      'what would restart if a source changed now, in which order and when',
      'tells what would restart if a Secret or ConfigMap changed now, in which order and when, and who uses it and would not restart. A source that does not exist is taken as created. Nothing is changed',
    ),
  )
    .argument('<object...>', 'the source, as in secret/credentials or cm settings')
    .option('--deleted', 'as if it were deleted')
    .option('--key <name...>', 'as if only these keys changed')
    .action(async (words: string[], options) =>
      (await import('./commands/what-if.ts')).whatIfCommand(words, options, surroundings),
    );
  asking(
    add(
      program,
      'status',
      'what the operator does: pending reloads, failures, every watched workload',
      'tells what the operator follows, what is pending and why, what fails, and every workload that asks for reloads; those of one namespace with -n',
    ),
  ).action(async (options) => (await import('./commands/status.ts')).statusCommand(options, surroundings));
  asking(
    add(
      program,
      'history',
      'the last reloads with cause, result and duration',
      'lists the last reloads with cause, result and duration, the newest first. They outlive restarts of the operator: without it, they are read from the ConfigMap reloader-history',
    ),
  )
    .argument('[object...]', 'only those of this workload')
    .option('-A, --all-namespaces', 'of all namespaces')
    .action(async (words: string[], options) =>
      (await import('./commands/history.ts')).historyCommand(words, options, surroundings),
    );
}

function defineFiles(program: Command, surroundings: Surroundings, exit: Exit): void {
  const { print } = surroundings;
  debuggable(
    addOutputOption(
      add(
        program,
        'lint',
        'check annotations and custom resources in manifests, without a cluster',
        'checks annotations and custom resources in manifests, YAML or JSON, without a cluster. Findings that look at other objects (missing targets, expressions that match nothing) are made only where the files hold objects of that namespace and kind. Exits with 1 where something was found',
      ),
    ),
  )
    .argument('<files...>', 'files or folders; - for standard input')
    .action(async (files: string[], options) =>
      exit(await (await import('./commands/lint.ts')).lintCommand(files, options, surroundings)),
    );
  debuggable(
    addClusterOptions(
      add(
        program,
        'migrate',
        'write ReloaderConfigs that do what the annotations do',
        'prints ReloaderConfigs that make the same decisions as the annotations of the workloads in a namespace or in files, to be applied before the annotations are taken away. What a ReloaderConfig cannot say is named on standard error',
      ),
    ),
  )
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('-f, --filename <files...>', 'manifests instead of a cluster; - for standard input')
    .action(async (options) => (await import('./commands/migrate.ts')).migrateCommand(options, surroundings));
  add(program, 'crds', 'print the custom resource definitions, for kubectl apply -f -').action(async () => {
    const { generatedCrds } = await import('../crds/generate.ts');
    print([...generatedCrds().values()].join('---\n'));
  });
  add(
    program,
    'manifests',
    'print everything to install, for kubectl apply -f -',
    'prints everything to install with kubectl apply -f -: definitions, namespace, account, permissions, Deployment and Service. With --namespaces it watches only these, and its account has Roles there and no ClusterRole',
  )
    .option('-n, --namespace <name>', 'namespace of the operator', 'reloader')
    .option('--namespaces <names>', 'watch only these namespaces, separated by commas')
    .option('--controllers <names>', 'what runs: reloader, podconfig or both', 'reloader')
    .option('--with <features>', 'further rights: evictions, alert-secrets or both')
    .option('--image <image>', 'image of the operator')
    .action(async (options) =>
      (await import('./commands/manifests.ts')).manifestsCommand(options, surroundings),
    );
}

function defineWriting(program: Command, surroundings: Surroundings): void {
  for (const [name, summary] of [
    ['freeze', 'hold back the reloads of a workload, a namespace or the whole cluster'],
    ['unfreeze', 'roll out what was held back'],
  ] as const) {
    debuggable(
      addClusterOptions(
        add(
          program,
          name,
          summary,
          name === 'freeze'
            ? 'sets the annotation reloader.stakater.com/freeze. Changes are not lost: they are rolled out after unfreeze. With an object, that workload; with --cluster, everything; else the namespace'
            : 'removes the annotation reloader.stakater.com/freeze; what waited is rolled out. With an object, of that workload; with --cluster, of everything; else of the namespace',
        ),
      ),
    )
      .argument('[object...]', 'a workload, as in deployment/web; the whole namespace without one')
      .option('--cluster', 'everything, by the Namespace of the operator')
      .option('--operator-namespace <name>', 'that Namespace; found by its Deployment unless given')
      .action(async (words: string[], options) =>
        (await import('./commands/freeze.ts')).freezeCommand(name === 'freeze', words, options, surroundings),
      );
  }
  debuggable(
    addClusterOptions(
      add(
        program,
        'cleanup',
        'take our own annotations off workloads, without restarting anything',
        'takes the annotations that the operator wrote off the metadata of workloads and sources, without restarting anything. Marks on pod templates stay: taking one away would be a new template and restart the pods; they mean nothing to anybody else and go with the next rollout of yours. Stop the operator first, or it writes them again',
      ),
    ),
  )
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('--dry-run', 'only say what would be taken off')
    .action(async (options) => (await import('./commands/cleanup.ts')).cleanupCommand(options, surroundings));
  debuggable(
    addClusterOptions(
      add(
        program,
        'rotate-key',
        'replace the key of the digests of Secrets, without restarting anything',
        'writes a new digest key beside the old one into the Secret reloader-digest-key. Started again, the operator compares what was recorded with the old key by the old key, and records it with the new one: nothing restarts, and no change is lost. A key that stood in a ConfigMap moves to the Secret. Then take the old key away with --finish',
      ),
    ),
  )
    .option('--operator-namespace <name>', 'namespace of the operator; found by its Deployment unless given')
    .option('--finish', 'take the old key away')
    .action(async (options) =>
      (await import('./commands/rotate-key.ts')).rotateKeyCommand(options, surroundings),
    );
}

function defineOneself(program: Command, { print }: Surroundings): void {
  add(program, 'completion', 'print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', '\nTry: source <(reloader completion bash)')
    .action(async (shell: 'bash' | 'zsh' | 'fish') =>
      print((await import('./completion.ts')).completionScript(shell, program)),
    );
  add(program, 'version', 'print the version').action(() => print(`${versionLine()}\n`));
}

function versionLine(): string {
  return `reloader ${packageVersion()} (Node ${process.versions.node})`;
}
