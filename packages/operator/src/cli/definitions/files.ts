/** Commands that read or print files. */
import type { Command } from 'commander';
import type { CommandIO } from '../command-io.ts';
import { DATA_FORMATS } from '../output.ts';
import {
  add,
  addAllNamespacesOption,
  addClusterOptions,
  addDebugOption,
  addOutputOption,
  type Exit,
} from './common.ts';

export function defineFiles(program: Command, io: CommandIO, exit: Exit): void {
  const { print } = io;
  addDebugOption(
    addOutputOption(
      add(
        program,
        'lint',
        'check annotations and custom resources in manifests, without a cluster',
        'checks annotations and custom resources in manifests, YAML or JSON, without a cluster. Findings that look at other objects (missing targets, expressions that match nothing) are made only where the files hold objects of that namespace and kind. Exits with 1 where something was found',
      ),
      DATA_FORMATS,
    ),
  )
    .argument('<files...>', 'files or folders; - for standard input')
    .action(async (files: string[], options) =>
      exit(await (await import('../commands/lint.ts')).lintCommand(files, options, io)),
    );
  addDebugOption(
    addAllNamespacesOption(
      addClusterOptions(
        add(
          program,
          'migrate',
          'write ReloaderConfigs that do what the annotations do',
          'prints ReloaderConfigs that make the same decisions as the annotations of the workloads in a namespace or in files, to be applied before the annotations are taken away. What a ReloaderConfig cannot say is named on standard error',
        ),
      ),
      'of all namespaces',
    ),
  )
    .option('-f, --filename <files...>', 'manifests instead of a cluster; - for standard input')
    .action(async (options) => (await import('../commands/migrate.ts')).migrateCommand(options, io));
  add(program, 'crds', 'print the custom resource definitions, for kubectl apply -f -').action(async () => {
    const { generatedCrds } = await import('../../crds/generate.ts');
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
    .option(
      '--with <features>',
      'what takes further rights, separated by commas: evictions, alert-secrets, restore-config-maps',
    )
    .option('--image <image>', 'image of the operator')
    .action(async (options) => (await import('../commands/manifests.ts')).manifestsCommand(options, io));
}
