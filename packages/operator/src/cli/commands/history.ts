/** `reloader history [KIND/NAME]`: the last reloads, from the operator or from the ConfigMap that it keeps them in. */
import { ApiError } from '@reloader/runtime';
import { linesOf } from '../../api/past.ts';
import type { HistoryLine } from '../../api/shapes.ts';
import { parseWorkloadKey } from '../../reloader/model/workload.ts';
import { HISTORY_CONFIG_MAP } from '../../reloader/report/history-pieces.ts';
import { historyIn } from '../../reloader/report/history-store.ts';
import type { CommandIO } from '../command-io.ts';
import { CommandFailure } from '../failure.ts';
import { installedSettings } from '../installed.ts';
import { parseWorkloads } from '../objects.ts';
import { type Answer, type CommonOptions, show } from '../output.ts';
import { byOperator, clusterOf, operatorOf, type Provenance, type Session, withSession } from '../session.ts';
import { historyText } from '../texts/history.ts';
import { inNamespace } from '../texts/names.ts';

export function historyCommand(
  words: readonly string[],
  options: CommonOptions,
  io: CommandIO,
): Promise<void> {
  const named = words.length > 0 ? parseWorkloads(words) : undefined;
  return withSession(options, io, async (session) => {
    const namespace = options.allNamespaces ? undefined : session.namespace;
    const { lines, provenance } = await reloadsIn(namespace, session);
    const isMeant = ({ workload }: HistoryLine): boolean =>
      named?.some(({ kind, name }) => workload.kind === kind && workload.name === name) ?? true;
    const reloads = lines.filter(isMeant);
    const where = { text: whereText(named, namespace), isOneNamespace: !named && namespace !== undefined };
    const answer: Answer = {
      data: { reloads },
      provenance,
      text: (style, wide) => historyText(reloads, where, style, { ...io, wide }),
      names: () => reloads.map(({ workload }) => inNamespace(workload)),
    };
    await show([answer], options, io);
  });
}

function whereText(
  named: ReturnType<typeof parseWorkloads> | undefined,
  namespace: string | undefined,
): string {
  if (!named) return namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
  return named
    .map(({ kind, name }) => `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`)
    .join(', ');
}

async function reloadsIn(
  namespace: string | undefined,
  session: Session,
): Promise<{ lines: readonly HistoryLine[]; provenance: Provenance }> {
  const operator = await operatorOf(session);
  // A standby replica has no history of its own: the leader's ConfigMap is better.
  if ('api' in operator && (operator.api.status.leading || !session.connection)) {
    const query = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`;
    const answer = await operator.api.get<{ reloads: HistoryLine[] }>(`history${query}`);
    return { lines: answer?.reloads ?? [], provenance: byOperator(operator.api) };
  }
  const { client } = clusterOf(session);
  const { operatorNamespace } = session.options;
  const { settings } = await installedSettings(client, operatorNamespace, session.io.signal);
  const asked =
    'unreachable' in operator ? `, and the operator cannot be asked: ${operator.unreachable}` : '';
  const { operatorNamespace: home } = settings.reloader;
  const where = `ConfigMap ${home}/${HISTORY_CONFIG_MAP}`;
  try {
    const found = await historyIn(client, home, session.io.signal);
    if (found.length === 0)
      throw new CommandFailure(`There is no history: ${where} does not exist or is empty${asked}`);
    const stored = found.map(({ key, entry }) => [parseWorkloadKey(key), entry] as const);
    const limits = [`Read from ${where}: the last ten seconds may be missing`];
    return { lines: linesOf(stored, namespace), provenance: { answeredBy: where, limits } };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CommandFailure(`There is no history: ${where} cannot be read (${error.message})${asked}`);
  }
}
