/** Names of peers as text for people, the first few of many. */
import { parseWorkloadKey } from '../../model/workload.ts';

const MOST_NAMED = 3;

/** The workload is requeued when these peers are done, even if it waits for more. */
export const MOST_AWAITED = 20;

export function namesOf(peers: readonly { readonly key: string; readonly why: string }[]): string {
  const names = peers.slice(0, MOST_NAMED).map(({ key, why }) => {
    const { kind, namespace, name } = parseWorkloadKey(key);
    return `${kind} ${namespace}/${name}${why === '' ? '' : ` (${why})`}`;
  });
  return `${names.join(', ')}${peers.length > MOST_NAMED ? ` and ${peers.length - MOST_NAMED} more` : ''}`;
}
