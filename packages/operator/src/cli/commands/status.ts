/** `reloader status`: what the operator is doing. */
import type { StatusAnswer, WorkloadLine } from '../../api/shapes.ts';
import { CommandFailure } from '../failure.ts';
import type { OperatorApi } from '../operator-api.ts';
import type { CommonOptions } from '../output.ts';
import { showAnswered } from '../output.ts';
import { byOperator, operatorOf, withSession } from '../session.ts';
import type { Surroundings } from '../surroundings.ts';
import { statusText } from '../texts/status.ts';

export function statusCommand(options: CommonOptions, surroundings: Surroundings): Promise<void> {
  return withSession(options, surroundings, async (session) => {
    const operator = await operatorOf(session);
    if (!('api' in operator))
      throw new CommandFailure(`The operator cannot be asked: ${operator.unreachable}`);
    const { api } = operator;
    const workloads = await workloadsOf(api, options.namespace);
    const answer: StatusAnswer & { items: readonly WorkloadLine[] } = { ...api.status, items: workloads };
    showAnswered(
      answer,
      byOperator(api),
      (style) => statusText(answer, style, surroundings),
      options,
      surroundings,
    );
  });
}

async function workloadsOf(
  api: OperatorApi,
  namespace: string | undefined,
): Promise<readonly WorkloadLine[]> {
  const query = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  return (await api.get<{ workloads: WorkloadLine[] }>(`workloads${query}`))?.workloads ?? [];
}
