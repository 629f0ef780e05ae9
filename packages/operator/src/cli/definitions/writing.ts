/** Commands that write to the cluster: annotations, and nothing else. */
import type { Command } from 'commander';
import type { CommandIO } from '../command-io.ts';
import {
  add,
  addAllNamespacesOption,
  addClusterOptions,
  addDebugOption,
  addOperatorOptions,
} from './common.ts';

export function defineWriting(program: Command, io: CommandIO): void {
  for (const [name, summary] of [
    ['freeze', 'hold back the reloads of a workload, a namespace or the whole cluster'],
    ['unfreeze', 'roll out what was held back'],
  ] as const) {
    const command = addDebugOption(
      addClusterOptions(
        add(
          program,
          name,
          summary,
          name === 'freeze'
            ? 'sets the annotation reloader.stakater.com/freeze. Changes are not lost: they are rolled out after unfreeze. With objects, those workloads; with --cluster or -A, everything; else the namespace'
            : 'removes the annotation reloader.stakater.com/freeze; what waited is rolled out. With objects, of those workloads; with --cluster or -A, of everything; else of the namespace',
        ),
      ),
    )
      .argument('[object...]', 'workloads, as in deployment/web; the whole namespace without one')
      .option('--cluster', 'everything, by the Namespace of the operator')
      .option('-A, --all-namespaces', 'the same')
      .option('--operator-namespace <name>', 'that Namespace; found by its Deployment unless given');
    if (name === 'freeze') {
      command
        .option('--for <duration>', 'it ends by itself after so long, such as 2h; else by unfreeze')
        .option('--reason <text>', 'why; shown wherever something waits because of it');
    }
    command.action(async (words: string[], options) =>
      (await import('../commands/freeze.ts')).freezeCommand(name === 'freeze', words, options, io),
    );
  }
  for (const [name, summary, text] of [
    [
      'approve',
      'let the change go on that waits for approval',
      'sets the annotation reloader.stakater.com/approve to the name of the change that waits. It is good for that content and one reload',
    ],
    [
      'now',
      'reload for the change that waits, whatever time or order holds it',
      'sets the annotation reloader.stakater.com/now to the name of the change that waits: approval, windows, pauses, rates and caps no longer hold it. A freeze, observe mode and what cannot be read still do',
    ],
  ] as const) {
    addDebugOption(addOperatorOptions(addClusterOptions(add(program, name, summary, text))))
      .argument('[object...]', 'workloads, as in deployment/web')
      .option('--change <name>', 'only if this is the change that waits; asks otherwise')
      .option('--all', 'of all workloads of the namespace')
      .option(
        '--doubts',
        'of all workloads that are held because of a doubt (ManyDoubts), in all namespaces unless -n is given',
      )
      .option('-y, --yes', 'do not ask')
      .action(async (words: string[], options) =>
        (await import('../commands/approve.ts')).approveCommand(name, words, options, io),
      );
  }
  addDebugOption(
    addAllNamespacesOption(
      addClusterOptions(
        add(
          program,
          'cleanup',
          'take what is ours off workloads and out of the notebook, without restarting anything',
          'takes the annotations that the operator wrote off the metadata of workloads and sources, and deletes its notes about them, without restarting anything. Marks on pod templates stay: taking one away would be a new template and restart the pods; they mean nothing to anybody else and go with the next rollout of yours. Stop the operator first, or it notes them again. --ledgers and --to-ledgers do something else instead, for changes of version; both write at most ten times a second and restart nothing',
        ),
      ),
      'in all namespaces',
    ),
  )
    .option('--dry-run', 'only say what would be done')
    .option(
      '--ledgers',
      'only take ledgers off that an earlier version wrote without a rollout; they are noted first',
    )
    .option(
      '--to-ledgers',
      'only write notes as ledgers on their workloads, so that an earlier version can go on from there',
    )
    .option('--operator-namespace <name>', 'where the notes are; found by its Deployment unless given')
    .action(async (options) => (await import('../commands/cleanup.ts')).cleanupCommand(options, io));
  addDebugOption(
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
    .action(async (options) => (await import('../commands/rotate-key.ts')).rotateKeyCommand(options, io));
}
