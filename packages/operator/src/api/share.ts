/** The part of an answer that the reader may read. */

import type { SourceRef } from '../reloader/model/source.ts';
import { isFrozenIn } from './frozen.ts';
import type { OperatorView } from './operator-view.ts';
import type { Reader } from './reader.ts';
import type { SourceAnswer, StatusAnswer, WhatIf } from './shapes.ts';

/** The status of one namespace, without cluster-wide counts; or of the whole cluster. */
export async function statusOf(
  operatorView: OperatorView,
  namespace: string | undefined,
): Promise<StatusAnswer> {
  const whole = await operatorView.status();
  if (namespace === undefined) return whole;
  const isHere = ({ workload }: { readonly workload: { readonly namespace: string } }): boolean =>
    workload.namespace === namespace;
  return {
    ...whole,
    namespaces: [namespace],
    sources: {},
    workloads: {},
    watched: operatorView.lines().filter(isHere).length,
    frozen: whole.frozen.filter(isFrozenIn(namespace)),
    pending: whole.pending.filter(isHere),
    failing: whole.failing.filter(isHere),
    troubled: whole.troubled.filter(isHere),
  };
}

/** Workloads of other namespaces are named only to readers who may read those, too. */
export async function ofNamespaces(prediction: WhatIf, reader: Reader): Promise<WhatIf> {
  const { reloads, others } = prediction;
  const isReadable = await readable([...reloads, ...others], reader);
  return { ...prediction, reloads: reloads.filter(isReadable), others: others.filter(isReadable) };
}

/** Names workloads of other namespaces only to readers who may read those, too. */
export async function sourceOf(
  operatorView: OperatorView,
  ref: SourceRef,
  reader: Reader,
): Promise<SourceAnswer> {
  await operatorView.fresh();
  const users = operatorView.users(ref);
  return operatorView.source(ref, users.filter(await readable(users, reader)));
}

interface AboutWorkload {
  readonly workload: { readonly namespace: string };
}

async function readable(
  all: readonly AboutWorkload[],
  reader: Reader,
): Promise<(about: AboutWorkload) => boolean> {
  const names = new Set<string>();
  for (const namespace of new Set(all.map(({ workload }) => workload.namespace))) {
    if ((await reader.mayRead(namespace)) === 'allowed') names.add(namespace);
  }
  return ({ workload }) => names.has(workload.namespace);
}
