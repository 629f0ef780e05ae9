/**
 * Buttons that change something. If the user may not use one, the page shows the command instead. The consequence is
 * shown before the confirming click.
 */
import type { ActionName, NumberedLine } from '@reloader/operator/api';
import { useRef, useState } from 'preact/hooks';
import { post } from '../data/api.ts';
import { useStore } from '../data/hooks.ts';
import type { Ref } from '../data/route.ts';
import { HELD_BY_PEOPLE, nameOf, needsApproval } from '../data/words.ts';

export type Target = Ref | { readonly namespace: string } | { readonly cluster: true };

interface ActionProps {
  readonly action: ActionName;
  /** The label of the button, as in `Freeze`. */
  readonly word: string;
  /** Shown after success. */
  readonly done: string;
  readonly consequence: string;
  readonly body: object;
  /** Asks for a reason and sends it. */
  readonly asksWhy?: boolean;
}

/** Two clicks: the first shows the consequence. If the server refuses, its message is shown. */
function ActionButton({ action, word, done, consequence, body, asksWhy = false }: ActionProps) {
  const store = useStore(({ may, link }) => [may, link]);
  const [asks, ask] = useState(false);
  const [said, say] = useState('');
  const why = useRef<HTMLInputElement>(null);
  if (!store.may.includes(action)) return null;
  const isOff = store.link !== 'live';
  const run = async (): Promise<void> => {
    const reason = why.current?.value.trim();
    ask(false);
    try {
      await post(`actions/${action}`, reason ? { ...body, reason } : body);
      say(done);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };
  if (asks) {
    return (
      <span
        class="action"
        role="alertdialog"
        aria-label={`Confirm: ${word}`}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // Otherwise it would lead back to the list.
          event.stopPropagation();
          ask(false);
        }}
      >
        {consequence}
        {asksWhy && (
          <input ref={why} type="text" placeholder="Why (for others)" aria-label="Why" maxLength={200} />
        )}
        <button type="button" class="primary" onClick={run} disabled={isOff}>
          {word}
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
        {word}…
      </button>
      <span role="status">{said}</span>
    </span>
  );
}

interface FreezeProps {
  readonly target: Target;
  readonly isFrozen: boolean;
  /** The consequence of ending the freeze. */
  readonly then: string;
}

export function FreezeButton({ target, isFrozen, then }: FreezeProps) {
  return (
    <ActionButton
      action={isFrozen ? 'unfreeze' : 'freeze'}
      word={isFrozen ? 'Unfreeze' : 'Freeze'}
      done={isFrozen ? 'Unfrozen' : 'Frozen'}
      consequence={isFrozen ? then : 'Changes wait from now on, until somebody unfreezes it.'}
      body={{ target }}
      asksWhy={!isFrozen}
    />
  );
}

/** Releases the change that this line shows; if another change is pending by then, the server refuses. */
export function ReleaseButtons({ line: { workload, pending } }: { readonly line: NumberedLine }) {
  if (pending?.change === undefined || HELD_BY_PEOPLE.has(pending.why)) return null;
  const { change, why } = pending;
  const body = { target: workload, change };
  const named = `Change ${change} of ${nameOf(workload)}`;
  return (
    <>
      {needsApproval(why) && (
        <ActionButton
          key={`approve ${change}`}
          action="approve"
          word="Approve"
          done="Approved"
          consequence={`${named} rolls out when nothing else holds it.`}
          body={body}
        />
      )}
      <ActionButton
        key={`now ${change}`}
        action="now"
        word="Reload now"
        done="Released"
        consequence={`${named} rolls out at once, whatever it waits for.`}
        body={body}
      />
    </>
  );
}
