/**
 * Buttons that change something. Where this way in may not, there is none, and the command stands beside. What would
 * follow is told before the last click.
 */
import { useState } from 'preact/hooks';
import { post } from '../data/api.ts';
import { useStore } from '../data/hooks.ts';
import type { Ref } from '../data/route.ts';
import { plural } from '../data/words.ts';

export type Target = Ref | { readonly namespace: string } | { readonly cluster: true };

interface Props {
  readonly target: Target;
  readonly isFrozen: boolean;
  /** Workloads that restart when the freeze ends. */
  readonly waiting?: number;
}

export function FreezeButton({ target, isFrozen, waiting }: Props) {
  const store = useStore();
  const [asks, ask] = useState(false);
  const [said, say] = useState('');
  const action = isFrozen ? 'unfreeze' : 'freeze';
  if (!store.may.includes(action)) return null;
  const isOff = store.link !== 'live';
  const run = async (): Promise<void> => {
    ask(false);
    try {
      await post(`actions/${action}`, { target });
      say(isFrozen ? 'Unfrozen' : 'Frozen');
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };
  if (asks) {
    return (
      <span class="action" role="alertdialog" aria-label={`Confirm: ${action}`}>
        {consequence(target, isFrozen, waiting ?? waitingIn(target, store.lines))}
        <button type="button" class="primary" onClick={run} disabled={isOff}>
          {isFrozen ? 'Unfreeze' : 'Freeze'}
        </button>
        <button type="button" onClick={() => ask(false)}>
          Cancel
        </button>
      </span>
    );
  }
  return (
    <span class="action">
      <button type="button" onClick={() => ask(true)} disabled={isOff}>
        {isFrozen ? 'Unfreeze…' : 'Freeze…'}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}

function waitingIn(target: Target, lines: ReturnType<typeof useStore>['lines']): number {
  const isMeant = ({ workload }: { readonly workload: Ref }): boolean => {
    if ('cluster' in target) return true;
    if (!('name' in target)) return workload.namespace === target.namespace;
    return (
      workload.kind === target.kind &&
      workload.name === target.name &&
      workload.namespace === target.namespace
    );
  };
  return lines.filter((line) => line.pending?.why === 'frozen' && isMeant(line)).length;
}

function consequence(target: Target, isFrozen: boolean, waiting: number): string {
  if (!isFrozen) return 'Changes wait from now on, until somebody unfreezes it.';
  if (waiting === 0) return 'No change waits: nothing restarts now.';
  return 'name' in target
    ? 'A change waits: it restarts now.'
    : `${plural(waiting, 'workload')} would restart now.`;
}
