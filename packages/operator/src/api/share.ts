/** The part of an answer that the reader may read. */

import type { SourceRef } from '../reloader/model/source.ts';
import { LARGE_FAN_OUT } from './fan-out.ts';
import { isFrozenIn } from './frozen.ts';
import type { OperatorView } from './operator-view.ts';
import type { Reader } from './reader.ts';
import type { Explanation, SourceAnswer, StatusAnswer, WhatIf } from './shapes.ts';

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

/**
 * Workloads of other namespaces are named and counted only for readers who may read those, too: with some of them left
 * out, there is no warning and no estimate. Of a source that none of them uses, `created` in place of `changed` would
 * say that it does not exist.
 */
export async function ofNamespaces(prediction: WhatIf, reader: Reader): Promise<WhatIf> {
  const { change, warning, estimate, ...rest } = prediction;
  const isReadable = await readable([...prediction.reloads, ...prediction.others], reader);
  const [reloads, others] = [prediction.reloads.filter(isReadable), prediction.others.filter(isReadable)];
  const isUnused = reloads.length + others.length === 0 && !reader.seesUnused;
  const isWhole = reloads.length === prediction.reloads.length;
  const seen = isUnused && change === 'created' ? 'changed' : change;
  return { ...(isWhole ? prediction : rest), reloads, others, change: seen };
}

/**
 * An estimate, and a warning of many restarts, count all workloads that use the same sources: they are for readers who
 * may read all of those.
 */
export async function explanationOf(
  operatorView: OperatorView,
  explanation: Explanation,
  reader: Reader,
): Promise<Explanation> {
  const { estimate, ...rest } = explanation;
  const notes = rest.notes.filter(({ reason }) => reason !== LARGE_FAN_OUT);
  if (!estimate && notes.length === rest.notes.length) return explanation;
  await operatorView.fresh();
  const users = explanation.sources.flatMap((source) => operatorView.users(source));
  return users.every(await readable(users, reader)) ? explanation : { ...rest, notes };
}

/**
 * Names workloads of other namespaces only to readers who may read those, too. Undefined if no workload that the reader
 * may read uses the source, and the reader may not learn of others.
 */
export async function sourceOf(
  operatorView: OperatorView,
  ref: SourceRef,
  reader: Reader,
): Promise<SourceAnswer | undefined> {
  await operatorView.fresh();
  const all = operatorView.users(ref);
  const users = all.filter(await readable(all, reader));
  return users.length > 0 || reader.seesUnused ? operatorView.source(ref, users) : undefined;
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
