/** Commands that only read, from the operator or from the cluster. */
import type { Command } from 'commander';
import type { CommandIO } from '../command-io.ts';
import { ALL_FORMATS, DATA_FORMATS } from '../output.ts';
import {
  add,
  addAllNamespacesOption,
  addClusterOptions,
  addDebugOption,
  addOperatorOptions,
  asking,
  type Exit,
} from './common.ts';

export function defineQuestions(program: Command, io: CommandIO, exit: Exit): void {
  defineCheck(program, io, exit);
  addAllNamespacesOption(
    asking(
      add(
        program,
        'explain',
        'why a workload is or is not reloaded',
        'tells which sources a workload watches and by which rule, what is recorded against what is, what is pending until when and why, and what is not watched and why not. The running operator is asked; where it cannot be, the command reads the cluster with your rights and decides by the same functions, and says what it cannot know',
      ),
      ALL_FORMATS,
    ),
    'workloads of that name in all namespaces',
  )
    .argument('<object...>', 'workloads, as in deployment/web sts/db, or deployment web shop')
    .action(async (words: string[], options) =>
      (await import('../commands/explain.ts')).explainCommand(words, options, io),
    );
  addAllNamespacesOption(
    asking(
      add(
        program,
        'what-if',
        'what would restart if a source changed now, in which order and when',
        'tells what would restart if a Secret or ConfigMap changed now, in which order and when, and who uses it and would not restart. A source that does not exist is taken as created. Before the operator is installed, it tells what would restart after that. Nothing is changed',
      ),
      ALL_FORMATS,
    ),
    'sources of that name in all namespaces',
  )
    .argument('<object...>', 'sources, as in secret/credentials cm/settings, or secret credentials')
    .option('--deleted', 'as if it were deleted')
    .option('--key <name...>', 'as if only these keys changed')
    .action(async (words: string[], options) =>
      (await import('../commands/what-if.ts')).whatIfCommand(words, options, io),
    );
  addAllNamespacesOption(
    asking(
      add(
        program,
        'status',
        'what the operator does: pending reloads, failures, every watched workload',
        'tells what the operator follows, what is frozen, what is pending and why, what fails, and the workloads that ask for reloads, first those that need somebody; those of one namespace with -n',
      ),
      ALL_FORMATS,
    ),
    'of all namespaces, which is what it does without -n',
  )
    .option('--failing', 'only workloads whose reload or rollout failed')
    .option('--pending', 'only workloads with a change that waits')
    .option('--limit <lines>', 'so many lines of each part; 20 unless given, or all with -o wide; 0 for all')
    .option('-w, --watch', 'go on, and write it again whenever it has changed')
    .action(async (options) => (await import('../commands/status.ts')).statusCommand(options, io));
  addAllNamespacesOption(
    asking(
      add(
        program,
        'history',
        'the last reloads with cause, result and duration',
        'lists the last reloads with cause, result and duration, the newest first. They outlive restarts of the operator: without it, they are read from the ConfigMap reloader-history',
      ),
      ALL_FORMATS,
    ),
    'of all namespaces',
  )
    .argument('[object...]', 'only those of these workloads')
    .action(async (words: string[], options) =>
      (await import('../commands/history.ts')).historyCommand(words, options, io),
    );
  defineUi(program, io);
}

/** Reads through the operator, acts with the rights of the user who starts it. */
function defineUi(program: Command, io: CommandIO): void {
  addDebugOption(
    addOperatorOptions(
      addClusterOptions(
        add(
          program,
          'ui',
          'the page: what waits, why, until when, and what would happen',
          'serves the page on loopback and opens it in the browser. It reads through a port-forward to the operator, and freezes and unfreezes with your own rights, by the kubeconfig. The address carries a key for this session: anyone who has it has your rights on the page',
        ),
      ),
    ),
  )
    .option('--port <number>', 'of loopback; any that is free unless given')
    .option('--no-open', 'only print the address')
    .action(async (options) => (await import('../commands/ui.ts')).uiCommand(options, io));
}

function defineCheck(program: Command, io: CommandIO, exit: Exit): void {
  asking(
    add(
      program,
      'check',
      'whether the cluster, your rights and the installation are in order',
      'looks at the cluster, at your rights, at the definitions, the Deployment, the image, the Service, the permissions and the webhook of the operator, and for a second installation that would restart everything twice. Exits with 1 where something is wrong. It changes nothing',
    ),
    DATA_FORMATS,
  )
    .option('--pre', 'only what an installation needs, before there is one')
    .action(async (options) => exit(await (await import('../commands/check.ts')).checkCommand(options, io)));
}
