/** `reloader check`: checks the cluster, the rights and the installation. It only reads. */

import { counted, type Style } from '../../terminal/style.ts';
import { checkCluster, checkRights } from '../check/cluster.ts';
import { checkDefinitions } from '../check/definitions.ts';
import { checkDigestKey } from '../check/digest-key.ts';
import { type CheckFinding, ok } from '../check/finding.ts';
import { checkInstallations, findInstallations } from '../check/installations.ts';
import { checkPermissions } from '../check/permissions.ts';
import { checkOperator, checkService, checkWebhook } from '../check/reachable.ts';
import type { CommandIO } from '../command-io.ts';
import { EXIT } from '../failure.ts';
import { type CommonOptions, show } from '../output.ts';
import { withProgress } from '../progress.ts';
import { clusterOf, operatorOf, type Session, withSession } from '../session.ts';

export interface CheckOptions extends CommonOptions {
  readonly pre?: boolean;
}

/** Resolves with the exit code: 1 if a check failed. */
export function checkCommand(options: CheckOptions, io: CommandIO): Promise<number> {
  return withSession(options, io, async (session) => {
    const findings = await withProgress('Looking at the cluster', io, () =>
      findingsOf(session, options.pre === true),
    );
    const passed = findings.every(({ level }) => level !== 'error');
    const text = (style: Style): string => checkText(findings, passed, style);
    await show([{ data: { passed, checks: findings }, text }], options, io);
    return passed ? EXIT.ok : EXIT.failure;
  });
}

async function findingsOf(session: Session, isBefore: boolean): Promise<readonly CheckFinding[]> {
  const connection = clusterOf(session);
  const { client } = connection;
  const { signal } = session.io;
  const { operatorNamespace } = session.options;
  // If the cluster does not answer the first check, the others cannot run: its error is the result.
  const cluster = await checkCluster(connection, signal);
  const general = [
    cluster,
    await checkRights({ ...connection, namespace: session.namespace }, isBefore, signal),
  ];
  const installations = await findInstallations(client, operatorNamespace, signal);
  if (isBefore) return [...general, ...checkInstallations(installations, isBefore)];
  const operator = await operatorOf(session);
  const runsElsewhere = 'api' in operator && installations?.length === 0;
  const installed = runsElsewhere
    ? [ok('installation', 'it has no Deployment here, and answers: it runs elsewhere')]
    : checkInstallations(installations, isBefore);
  const ours = (installations ?? []).filter(({ isStakaters }) => !isStakaters);
  const [main] = ours;
  const controllers = new Set(ours.flatMap(({ settings }) => [...settings.controllers]));
  return [
    ...general,
    ...(await checkDefinitions(client, controllers.size > 0 ? controllers : new Set(['reloader']), signal)),
    ...installed,
    ...(main ? [await checkPermissions(client, main, signal), await checkService(client, main, signal)] : []),
    ...(main ? await checkDigestKey(client, main.deployment.metadata.namespace ?? '', signal) : []),
    ...(await checkWebhook(client, ours, signal)),
    ...(runsElsewhere || (main && !main.settings.reloader.webhookUrl) ? [checkOperator(operator)] : []),
  ];
}

const MARKS = { ok: '✔', warning: '!', error: '✗' } as const;
const TONES = { ok: 'good', warning: 'warn', error: 'bad' } as const;

function checkText(findings: readonly CheckFinding[], passed: boolean, style: Style): string {
  const lines = findings.map(({ check, level, message, fix }) => {
    const mark = style[TONES[level]](MARKS[level]);
    return `${mark} ${style.bold(check)}: ${message}\n${fix === undefined ? '' : `    ${fix}\n`}`;
  });
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  const fine =
    warnings === 0 ? 'Everything is in order' : `Nothing is wrong; ${counted(warnings, 'warning')}`;
  return `${lines.join('')}${passed ? style.good(fine) : style.bad('Something is wrong')}\n`;
}
