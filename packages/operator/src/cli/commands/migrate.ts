/** `reloader migrate`: writes ReloaderConfigs that replace annotations. */
import { ForbiddenError, listPages, NotFoundError } from '@reloader/runtime';
import { stringify } from 'yaml';
import { Corpus } from '../../lint/corpus.ts';
import { readManifests } from '../../lint/documents.ts';
import { type MigrationSettings, migrate } from '../../migrate/migrate.ts';
import { WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import {
  isRunOfCronJob,
  WORKLOAD_KINDS,
  type WorkloadFacts,
  type WorkloadKind,
} from '../../reloader/model/workload.ts';
import { workloadFacts } from '../../reloader/project/workload-projection.ts';
import { parseSettings } from '../../settings/parse.ts';
import type { CommandIO } from '../command-io.ts';
import { CommandFailure } from '../failure.ts';
import { installedSettings } from '../installed.ts';
import { withProgress } from '../progress.ts';
import { clusterOf, type Session, type SessionOptions, withSession } from '../session.ts';

const FOREIGN_KINDS: readonly WorkloadKind[] = ['Rollout', 'DeploymentConfig'];

export interface MigrateOptions extends SessionOptions {
  readonly allNamespaces?: boolean;
  readonly filename?: readonly string[];
}

export async function migrateCommand(options: MigrateOptions, io: CommandIO): Promise<void> {
  if (options.filename) {
    const settings = parseSettings([], {}).reloader;
    print(await workloadsIn(options.filename, io), settings, io);
    return;
  }
  await withSession(options, io, async (session) => {
    const { client } = clusterOf(session);
    const { settings } = await installedSettings(client, options.operatorNamespace, io.signal);
    const workloads = await withProgress('Reading workloads', io, () =>
      workloadsOf(session, options.allNamespaces === true, settings.reloader),
    );
    print(workloads, settings.reloader, io);
  });
}

async function workloadsIn(paths: readonly string[], io: CommandIO): Promise<WorkloadFacts[]> {
  const manifests = [];
  for (const path of paths) {
    for (const file of await io.listFiles(path)) {
      const read = readManifests(file, await io.readFile(file));
      const [first] = read.findings;
      if (first) throw new CommandFailure(`${first.file}:${first.line}: ${first.message}`);
      manifests.push(...read.manifests);
    }
  }
  return new Corpus(manifests).workloads.map(({ facts }) => facts);
}

async function workloadsOf(
  session: Session,
  everywhere: boolean,
  { names }: MigrationSettings,
): Promise<WorkloadFacts[]> {
  const { client } = clusterOf(session);
  const { signal } = session.io;
  const scope = everywhere ? {} : { namespace: session.namespace };
  const found: WorkloadFacts[] = [];
  for (const kind of WORKLOAD_KINDS) {
    try {
      for await (const { items } of listPages(client, WORKLOAD_TYPES[kind], { ...scope, signal })) {
        for (const object of items) found.push(workloadFacts(object, kind, names));
      }
    } catch (error) {
      // A kind that this cluster does not have.
      if (error instanceof NotFoundError) continue;
      // The roles view, edit and admin say nothing of kinds that are not part of Kubernetes.
      if (!(error instanceof ForbiddenError) || !FOREIGN_KINDS.includes(kind)) throw error;
      session.io.complain(`${kind}s are left out: you may not list them\n`);
    }
  }
  return found.filter((workload) => !isRunOfCronJob(workload));
}

function print(
  workloads: readonly WorkloadFacts[],
  settings: MigrationSettings,
  { print: out, complain }: CommandIO,
): void {
  const documents: string[] = [];
  const steps: string[] = [];
  for (const workload of workloads) {
    const { namespace, name } = workload.metadata;
    const subject = `${workload.kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
    const migration = migrate(workload, settings);
    if (migration.kind === 'stays') complain(`${subject} keeps its annotations: ${migration.because}\n`);
    if (migration.kind !== 'migrated') continue;
    const { config, replaces, from, notes } = migration.migrated;
    for (const note of notes) complain(`${subject}: the ReloaderConfig ${note}\n`);
    documents.push(stringify(config, { lineWidth: 110 }));
    if (from === 'workload') {
      const where = namespace === '' ? '' : ` -n ${namespace}`;
      steps.push(
        `kubectl annotate ${workload.kind.toLowerCase()} ${name}${where} ${replaces.map((each) => `${each}-`).join(' ')}`,
      );
    } else
      steps.push(`# ${subject}: take ${replaces.join(', ')} off its pod template with your next release`);
  }
  if (documents.length === 0) {
    complain('No annotations were found that a ReloaderConfig could replace\n');
    return;
  }
  out(documents.join('---\n'));
  complain(
    `Apply these ${documents.length} ReloaderConfigs, then take the annotations away; nothing restarts:\n${steps.map((step) => `  ${step}\n`).join('')}`,
  );
}
