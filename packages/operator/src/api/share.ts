/** The share of an answer that concerns what a reader may read. */
import { isFrozenIn } from './frozen.ts';
import type { Insight } from './insight.ts';
import type { Reader } from './reader.ts';
import type { SourceAnswer, StatusAnswer, WhatIf } from './shapes.ts';

/** Of one namespace, without what is counted over all of them; or the whole. */
export function statusOf(insight: Insight, namespace: string | undefined): StatusAnswer {
  const whole = insight.status();
  if (namespace === undefined) return whole;
  const isHere = ({ workload }: { readonly workload: { readonly namespace: string } }): boolean =>
    workload.namespace === namespace;
  return {
    ...whole,
    namespaces: [namespace],
    sources: {},
    workloads: {},
    watched: insight.workloads(namespace).length,
    frozen: whole.frozen.filter(isFrozenIn(namespace)),
    pending: whole.pending.filter(isHere),
    failing: whole.failing.filter(isHere),
    troubled: whole.troubled.filter(isHere),
  };
}

/** Workloads of other namespaces are named only to those who may read these, too. */
export async function ofNamespaces(prediction: WhatIf, reader: Reader): Promise<WhatIf> {
  const { reloads, others } = prediction;
  const isReadable = await readable([...reloads, ...others], reader);
  return { ...prediction, reloads: reloads.filter(isReadable), others: others.filter(isReadable) };
}

/** Likewise. */
export async function usersOf(answer: SourceAnswer, reader: Reader): Promise<SourceAnswer> {
  return { ...answer, usedBy: answer.usedBy.filter(await readable(answer.usedBy, reader)) };
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
