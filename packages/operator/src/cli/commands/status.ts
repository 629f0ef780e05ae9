/** `reloader status`: the operator's current state. */
import { sleep } from '@reloader/runtime';
import { isFrozenIn } from '../../api/frozen.ts';
import { MOST_ITEMS } from '../../api/query.ts';
import type { StatusAnswer, WorkloadLine, WorkloadsAnswer } from '../../api/shapes.ts';
import { UsageError } from '../../settings/usage-error.ts';
import type { CommandIO } from '../command-io.ts';
import { CommandFailure } from '../failure.ts';
import type { OperatorApi } from '../operator-api.ts';
import { type Answer, type CommonOptions, show, written } from '../output.ts';
import { byOperator, operatorOf, type Session, withSession } from '../session.ts';
import { inNamespace } from '../texts/names.ts';
import { statusText } from '../texts/status.ts';
import { byUrgency, isFailing } from '../urgency.ts';

export interface StatusOptions extends CommonOptions {
  readonly watch?: boolean;
  readonly failing?: boolean;
  readonly pending?: boolean;
  readonly limit?: string;
}

const EVERY_MS = 2_000;
/** Moves the cursor to the upper left corner and clears the screen. */
const CLEAR = '\u001b[H\u001b[2J';

export function statusCommand(options: StatusOptions, io: CommandIO): Promise<void> {
  return withSession(options, io, (session) =>
    options.watch ? watch(options, session) : showOnce(options, session),
  );
}

async function showOnce(options: StatusOptions, session: Session): Promise<void> {
  await show([await answerOf(options, session)], options, session.io);
}

/** Runs until Ctrl-C, which is its normal end. Waits for an operator that restarts meanwhile. */
async function watch(options: StatusOptions, session: Session): Promise<void> {
  const { io } = session;
  const { clock, signal, print, columns } = io;
  const isTerminal = columns !== undefined;
  let last: string | undefined;
  while (!signal.aborted) {
    const seen = await look(options, session, last !== undefined).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    // A terminal shows ages that grow; other outputs get only changes.
    if (seen && (isTerminal || seen.state !== last)) print(isTerminal ? CLEAR + seen.text : seen.text);
    last = seen?.state ?? last;
    await sleep(clock, EVERY_MS, signal).catch(() => undefined);
  }
}

interface Seen {
  readonly text: string;
  /** Equal to the last one if nothing has happened. */
  readonly state: string;
}

async function look(options: StatusOptions, session: Session, isPatient: boolean): Promise<Seen> {
  try {
    const answer = await answerOf(options, session);
    const text = await written([answer], options.output ?? 'text', session.io);
    return { text, state: JSON.stringify(answer.data) };
  } catch (error) {
    if (!isPatient || !(error instanceof CommandFailure)) throw error;
    return { text: `${error.message}\n`, state: error.message };
  }
}

async function answerOf(options: StatusOptions, session: Session): Promise<Answer> {
  const operator = await operatorOf(session);
  if (!('api' in operator)) throw new CommandFailure(`The operator cannot be asked: ${operator.unreachable}`);
  const { api } = operator;
  const namespace = options.allNamespaces ? undefined : options.namespace;
  const items = byUrgency(await workloadsOf(api, namespace)).filter(isAskedFor(options));
  const status = namespace === undefined ? api.status : ofNamespace(api.status, namespace);
  const data: StatusAnswer & { items: readonly WorkloadLine[] } = { ...status, items };
  const limit = limitOf(options);
  return {
    data,
    provenance: byOperator(api),
    text: (style, wide) => statusText(data, style, { ...session.io, wide, limit }),
    names: () => items.map(({ workload }) => inNamespace(workload)),
  };
}

async function workloadsOf(
  api: OperatorApi,
  namespace: string | undefined,
): Promise<readonly WorkloadLine[]> {
  const query = new URLSearchParams({ limit: String(MOST_ITEMS) });
  if (namespace !== undefined) query.set('namespace', namespace);
  const items: WorkloadLine[] = [];
  for (;;) {
    const page = await api.get<WorkloadsAnswer>(`workloads?${query}`);
    items.push(...(page?.items ?? []));
    if (page?.continue === undefined) return items;
    query.set('continue', page.continue);
  }
}

/** Both options together select both states. */
function isAskedFor({ failing, pending }: StatusOptions): (line: WorkloadLine) => boolean {
  if (!failing && !pending) return () => true;
  return (line) => (failing === true && isFailing(line)) || (pending === true && line.pending !== undefined);
}

/** Facts about the whole cluster are kept; problems are limited to the namespace. */
function ofNamespace(status: StatusAnswer, namespace: string): StatusAnswer {
  const isHere = ({ workload }: { readonly workload: { readonly namespace: string } }): boolean =>
    workload.namespace === namespace;
  return {
    ...status,
    frozen: (status.frozen ?? []).filter(isFrozenIn(namespace)),
    pending: status.pending.filter(isHere),
    failing: status.failing.filter(isHere),
    troubled: status.troubled.filter(isHere),
  };
}

/** Lines of each section, so that all sections fit on a screen. */
const USUAL_LIMIT = 20;

/** 0 means no limit. */
function limitOf({ limit, output }: StatusOptions): number {
  if (limit === undefined) return output === 'wide' ? 0 : USUAL_LIMIT;
  if (!/^\d{1,6}$/.test(limit)) {
    throw new UsageError(`--limit is "${limit}": write a number of lines, or 0 for all`);
  }
  return Number(limit);
}
