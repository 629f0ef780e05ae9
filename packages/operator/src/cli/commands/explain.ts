/** `reloader explain KIND/NAME` */
import { ApiError, NotFoundError } from '@reloader/runtime';
import { explain } from '../../api/explain.ts';
import type { Explanation } from '../../api/shapes.ts';
import { Namespaces, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import { nearest } from '../../reloader/model/nearest.ts';
import type { WorkloadRef } from '../../reloader/model/workload.ts';
import type { CommandIO } from '../command-io.ts';
import { placed } from '../everywhere.ts';
import { CommandFailure } from '../failure.ts';
import { lintProblems } from '../lint-live.ts';
import { openLocalView } from '../local-view.ts';
import { parseWorkloads } from '../objects.ts';
import { type Answer, type CommonOptions, show } from '../output.ts';
import { withProgress } from '../progress.ts';
import { byOperator, clusterOf, operatorOf, type Provenance, type Session, withSession } from '../session.ts';
import { explanationText } from '../texts/explanation.ts';
import { inNamespace } from '../texts/names.ts';

const MOST_LISTED = 500;

export function explainCommand(
  words: readonly string[],
  options: CommonOptions,
  io: CommandIO,
): Promise<void> {
  const named = parseWorkloads(words);
  return withSession(options, io, async (session) => {
    const answers: Answer[] = [];
    for (const ref of await placed(named, WORKLOAD_TYPES, options.allNamespaces === true, session)) {
      const { answer: told, provenance } = await explanationOf(ref, session);
      const answer = { ...told, problems: [...told.problems, ...(await lintProblems(ref, told, session))] };
      answers.push({
        data: answer,
        provenance,
        text: (style) => explanationText(answer, style, io.clock.now()),
        names: () => answer.sources.map(inNamespace),
      });
    }
    await show(answers, options, io);
  });
}

export async function explanationOf(
  ref: WorkloadRef,
  session: Session,
): Promise<{ answer: Explanation; provenance: Provenance }> {
  const { kind, namespace, name } = ref;
  const operator = await operatorOf(session);
  if ('api' in operator) {
    const path = `workloads/${kind}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
    const answer = await operator.api.get<Explanation>(path);
    if (answer) return { answer, provenance: byOperator(operator.api) };
    if (session.connection) await assertExists(ref, session);
    throw new CommandFailure(
      `${kind} ${namespace}/${name} is not watched by the operator at ${operator.api.where}: its namespace is out of scope, its kind is left out, or it does not exist`,
    );
  }
  await assertExists(ref, session);
  return withProgress('Reading the cluster', session.io, () => locally(ref, operator.unreachable, session));
}

async function locally(ref: WorkloadRef, unreachable: string, session: Session) {
  const { io, options } = session;
  const { client } = clusterOf(session);
  const { operatorNamespace } = options;
  const where = {
    client,
    namespace: ref.namespace,
    unreachable,
    ...(operatorNamespace !== undefined && { operatorNamespace }),
  };
  const view = await openLocalView(where, io);
  try {
    const answer = await explain(ref, view.clusterView, io.signal);
    if (!answer) {
      throw new CommandFailure(
        `${ref.kind} ${ref.namespace}/${ref.name} is not watched: the flags of the operator leave out its namespace or its kind, or you may not list it`,
      );
    }
    return { answer, provenance: { answeredBy: 'this command', limits: view.limits } };
  } finally {
    await view.close();
  }
}

/** Throws an error that names what is missing, the namespace or the object. */
export async function assertExists({ kind, namespace, name }: WorkloadRef, session: Session): Promise<void> {
  const { client } = clusterOf(session);
  const { signal } = session.io;
  const type = WORKLOAD_TYPES[kind];
  try {
    await client.get(type, { namespace, name }, { signal });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    await assertNamespace(namespace, session);
    const close = await nearestName({ kind, namespace, name }, session);
    throw new CommandFailure(
      close === undefined
        ? `${kind} ${namespace}/${name} does not exist: see "kubectl get ${type.plural} -n ${namespace}", or name another namespace with -n`
        : `${kind} ${namespace}/${name} does not exist: did you mean ${close}?`,
    );
  }
}

/** Of the same kind, in the same namespace; undefined if none is similar, or they may not be listed. */
async function nearestName(
  { kind, namespace, name }: WorkloadRef,
  session: Session,
): Promise<string | undefined> {
  const { client } = clusterOf(session);
  try {
    const { items } = await client.list(WORKLOAD_TYPES[kind], {
      namespace,
      limit: MOST_LISTED,
      signal: session.io.signal,
    });
    return nearest(
      name,
      items.map(({ metadata }) => metadata.name ?? ''),
    );
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

export async function assertNamespace(namespace: string, session: Session): Promise<void> {
  const { client } = clusterOf(session);
  try {
    await client.get(Namespaces, { name: namespace }, { signal: session.io.signal });
  } catch (error) {
    if (error instanceof NotFoundError) {
      throw new CommandFailure(`Namespace ${namespace} does not exist: see "kubectl get namespaces"`);
    }
    // If the caller may not read the namespace, the request for the object decides.
    if (!(error instanceof ApiError)) throw error;
  }
}
