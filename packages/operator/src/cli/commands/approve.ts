/**
 * `reloader approve` and `reloader now`: the annotations by which a person lets a waiting change through.
 *
 * The annotation names the change, so it applies only to this content and this reload. Every user who may patch the
 * workload may do it.
 */
import { subjectFor } from '../../api/actions.ts';
import type { StatusAnswer, Wait } from '../../api/shapes.ts';
import { changeThatWaits, isDeaf, type Word } from '../../api/word.ts';
import { sourceName, workloadName } from '../../api/words.ts';
import { FIXED_ANNOTATIONS } from '../../reloader/model/annotations.ts';
import type { WorkloadRef } from '../../reloader/model/workload.ts';
import { UsageError } from '../../settings/usage-error.ts';
import type { CommandIO } from '../command-io.ts';
import { CommandFailure } from '../failure.ts';
import { parseWorkloads } from '../objects.ts';
import { clusterOf, operatorOf, type Session, type SessionOptions, withSession } from '../session.ts';
import { annotate } from '../ui/person.ts';
import { explanationOf } from './explain.ts';

export interface ApproveOptions extends SessionOptions {
  readonly change?: string;
  readonly all?: boolean;
  /** All workloads that are held by a doubt, in all namespaces unless one is given. */
  readonly doubts?: boolean;
  readonly yes?: boolean;
}

export function approveCommand(
  word: Word,
  words: readonly string[],
  options: ApproveOptions,
  io: CommandIO,
): Promise<void> {
  const { all = false, doubts = false, change } = options;
  if (doubts && (all || words.length > 0 || change !== undefined))
    throw new UsageError(
      '--doubts stands for all that many doubts hold: give no workloads, --all or --change',
    );
  if (doubts) return withSession(options, io, (session) => releaseDoubts(word, options, session));
  if (all === words.length > 0) throw new UsageError('Name workloads, as in deployment/web, or give --all');
  if (change !== undefined && (all || words.length > 1))
    throw new UsageError('--change names one change of one workload: give that workload');
  const named = all ? [] : parseWorkloads(words);
  if (change !== undefined && named.length !== 1)
    throw new UsageError('--change names one change of one workload: give that workload');
  return withSession(options, io, async (session) => {
    const { namespace } = session;
    const isMeant = (why: Wait['why']): boolean => (word === 'approve' ? why === 'approval' : !isDeaf(why));
    const refs = all
      ? (await waiting(isMeant, session)).filter((ref) => ref.namespace === namespace)
      : named.map(({ kind, name }) => ({ kind, namespace, name }));
    if (refs.length === 0) io.print(`Nothing waits for that in namespace ${namespace}\n`);
    for (const ref of refs) await give(word, ref, options, session);
  });
}

/** Asks once for all of them. With `approve`, other gates (windows, caps) still hold each of them. */
async function releaseDoubts(word: Word, options: ApproveOptions, session: Session): Promise<void> {
  const { io } = session;
  const held = await waiting((why) => why === 'doubt', session);
  const refs = held.filter(
    ({ namespace }) => options.namespace === undefined || namespace === options.namespace,
  );
  const where = options.namespace === undefined ? 'in any namespace' : `in namespace ${options.namespace}`;
  if (refs.length === 0) {
    io.print(`No workload is held because of a doubt ${where}\n`);
    return;
  }
  if (options.yes !== true) {
    const named = refs.slice(0, MOST_NAMED).map(workloadName).join(', ');
    const more = refs.length > MOST_NAMED ? ` and ${refs.length - MOST_NAMED} more` : '';
    const reply = await io.ask(
      `${refs.length} held because of a doubt: ${named}${more}. Restart them? [y/N] `,
    );
    if (reply === undefined)
      throw new UsageError(`${refs.length} held because of a doubt: ${named}${more}. Give --yes`);
    if (!/^y(es)?$/i.test(reply.trim())) {
      io.print('Nothing was done\n');
      return;
    }
  }
  for (const ref of refs) await give(word, ref, { ...options, yes: true }, session);
}

const MOST_NAMED = 5;

async function waiting(
  isMeant: (why: Wait['why']) => boolean,
  session: Session,
): Promise<readonly WorkloadRef[]> {
  const operator = await operatorOf(session);
  if (!('api' in operator)) throw new CommandFailure(`The operator cannot be asked: ${operator.unreachable}`);
  const { pending }: StatusAnswer = operator.api.status;
  return pending.filter(({ wait }) => isMeant(wait.why)).map(({ workload }) => workload);
}

async function give(word: Word, ref: WorkloadRef, options: ApproveOptions, session: Session): Promise<void> {
  const { io } = session;
  const { print, signal } = io;
  const name = workloadName(ref);
  const { answer } = await explanationOf(ref, session);
  const { change, held } = changeThatWaits(word, answer);
  if (held !== undefined) throw new CommandFailure(`${name}: this holds whatever anybody says. ${held}`);
  if (change === undefined && answer.outlook.action === 'unreadable') {
    throw new CommandFailure(`${name}: whether a change waits is not known. ${answer.outlook.because}`);
  }
  if (change === undefined) {
    print(`${name}: ${word === 'approve' ? 'no change waits for approval' : 'no change waits'}\n`);
    return;
  }
  if (options.change !== undefined && options.change !== change) {
    throw new CommandFailure(
      `${name}: the change that waits is ${change}, not ${options.change}, so nothing was done: look at it with "${io.programName} explain"`,
    );
  }
  if (options.change === undefined && options.yes !== true) {
    const causes = answer.outlook.causes.map(sourceName).join(', ') || 'a reload that another tool undid';
    const question = `${name}: change ${change}, because of ${causes}. ${word === 'approve' ? 'Approve it' : 'Reload now'}? [y/N] `;
    const reply = await io.ask(question);
    if (reply === undefined)
      throw new UsageError(`${name}: change ${change} waits. Say so with --change ${change}, or give --yes`);
    if (!/^y(es)?$/i.test(reply.trim())) {
      print('Nothing was done\n');
      return;
    }
  }
  await annotate(clusterOf(session).client, subjectFor(ref), { [FIXED_ANNOTATIONS[word]]: change }, signal);
  const then = word === 'approve' ? 'it is rolled out when nothing else holds it' : 'it is rolled out now';
  print(`${name}: change ${change} is ${word === 'approve' ? 'approved' : 'released'}, ${then}\n`);
}
