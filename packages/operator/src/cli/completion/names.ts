/** Names of objects and namespaces in the cluster, for completion. */
import { type KubernetesObject, type ResourceType, sleep } from '@reloader/runtime';
import { ConfigMaps, Namespaces, Secrets, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import type { CommandIO } from '../command-io.ts';
import { parseSources, parseWorkloads } from '../objects.ts';
import type { Candidates } from './candidates.ts';

const PATIENCE_MS = 2_000;
/** Longer lists are of no use. */
const MOST = 500;

const KINDS = {
  workloads: ['deployment', 'statefulset', 'daemonset', 'cronjob', 'job', 'rollout'],
  sources: ['secret', 'configmap'],
} as const;

/** `deployment/` before a kind is chosen, `deployment/web` after. */
export async function clusterNames(
  what: 'namespaces' | 'workloads' | 'sources',
  words: readonly string[],
  io: CommandIO,
): Promise<Candidates> {
  const last = words.at(-1) ?? '';
  if (what === 'namespaces') return { candidates: await list(Namespaces, '', words, io) };
  const [kind, name] = last.split('/');
  const first = words.slice(1).find((word) => !word.startsWith('-'));
  if (name !== undefined) {
    const type = typeOf(what, kind ?? '');
    return { candidates: type ? await list(type, `${kind}/`, words, io) : [] };
  }
  // As in `explain deployment web`.
  const chosen = first !== undefined && first !== last ? typeOf(what, first) : undefined;
  if (chosen) return { candidates: await list(chosen, '', words, io) };
  return { candidates: KINDS[what].map((each) => ({ word: `${each}/` })), goesOn: true };
}

function typeOf(what: 'workloads' | 'sources', word: string): ResourceType<KubernetesObject> | undefined {
  try {
    if (what === 'workloads') {
      const [parsed] = parseWorkloads([`${word}/x`]);
      return parsed && WORKLOAD_TYPES[parsed.kind];
    }
    const [parsed] = parseSources([`${word}/x`]);
    return parsed?.kind === 'Secret' ? Secrets : parsed?.kind === 'ConfigMap' ? ConfigMaps : undefined;
  } catch {
    return undefined;
  }
}

async function list(
  type: ResourceType<KubernetesObject>,
  prefix: string,
  words: readonly string[],
  io: CommandIO,
): Promise<{ word: string }[]> {
  const { clock, connect } = io;
  const ending = new AbortController();
  const signal = AbortSignal.any([io.signal, ending.signal]);
  const patience = sleep(clock, PATIENCE_MS, signal).then(
    () => ending.abort(),
    () => undefined,
  );
  try {
    const kubeconfig = optionValue(words, '--kubeconfig');
    const context = optionValue(words, '--context');
    const { client, namespace } = await connect({
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
    });
    try {
      const place = optionValue(words, '--namespace') ?? optionValue(words, '-n') ?? namespace;
      const everywhere = words.includes('-A') || words.includes('--all-namespaces');
      const scope = type.namespaced && !everywhere ? { namespace: place } : {};
      const { items } = await client.list(type, { ...scope, metadataOnly: true, limit: MOST, signal });
      return [...new Set(items.map(({ metadata }) => prefix + metadata.name))].map((word) => ({ word }));
    } finally {
      await client.close();
    }
  } catch {
    return [];
  } finally {
    ending.abort();
    await patience;
  }
}

function optionValue(words: readonly string[], option: string): string | undefined {
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`));
  const word = words[at];
  // The last word is still being written.
  if (word === undefined || at === words.length - 1) return undefined;
  return word.startsWith(`${option}=`) ? word.slice(option.length + 1) : words[at + 1] || undefined;
}
