/** Global keyboard shortcuts. Views listen for moves; letters typed into a field are text. */

import { goTo } from './hooks.ts';
import { formatRoute, parseRoute, type ViewName } from './route.ts';

export type Move = 'next' | 'previous' | 'open' | 'search';

const listeners = new Set<(move: Move) => void>();
const MOVES: Readonly<Record<string, Move>> = { j: 'next', k: 'previous', Enter: 'open', '/': 'search' };
const PLACES: Readonly<Record<string, ViewName>> = {
  n: 'now',
  w: 'workloads',
  s: 'sources',
  t: 'timeline',
  f: 'freezes',
};

export const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'filter'],
  ['j  k', 'next, previous row'],
  ['Enter', 'open the row'],
  ['Esc', 'leave the field, close, back'],
  ['g n', 'Now'],
  ['g w', 'Workloads'],
  ['g s', 'Sources'],
  ['g t', 'Timeline'],
  ['g f', 'Freezes'],
  ['c', 'copy the link to this view'],
  ['?', 'these keys'],
];

export function onMove(listener: (move: Move) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `help`: shows or hides the list of keys; `onEscape`: returns true if it closed something. */
export function listenToKeys(help: () => void, onEscape: () => boolean): () => void {
  let goes = false;
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if (event.key === 'Escape') {
      if (isField) target.blur();
      else if (!onEscape()) leave();
      return;
    }
    if (isField || (event.key !== '?' && target.closest('dialog'))) return;
    const place = goes ? PLACES[event.key] : undefined;
    goes = event.key === 'g';
    if (place) goTo({ view: place, query: {} });
    else if (event.key === '?') help();
    else if (event.key === 'c') void navigator.clipboard?.writeText(plainLink());
    else {
      const move = MOVES[event.key];
      // Enter on a link or a button activates it.
      if (!move || (move === 'open' && target.closest('a, button'))) return;
      if (move === 'search') event.preventDefault();
      // A view without a filter opens the list of all workloads instead.
      if (move === 'search' && listeners.size === 0) searchWorkloads();
      for (const listener of listeners) listener(move);
    }
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function searchWorkloads(): void {
  goTo({ view: 'workloads', query: {} });
  // The field is rendered only after the address has changed.
  setTimeout(() => {
    for (const listener of listeners) listener('search');
  }, 50);
}

/** From one object back to its list. */
function leave(): void {
  const { view } = parseRoute(location.hash);
  if (view === 'workload') goTo({ view: 'workloads', query: {} });
  if (view === 'source') goTo({ view: 'sources', query: {} });
}

/** Without the session key, so that the link can be shared. */
function plainLink(): string {
  const route = parseRoute(location.hash);
  const { key: _, ...query } = route.query;
  return `${location.origin}${location.pathname}${formatRoute({ ...route, query })}`;
}
