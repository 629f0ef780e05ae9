/**
 * Filters as chips with their counts, and a search field. They are part of the address, so a link shows the same list.
 */
import type { LineCounts } from '@reloader/operator/api';
import type { RefObject } from 'preact';
import { goTo, useStore } from '../data/hooks.ts';
import type { Route } from '../data/route.ts';
import { STATE_WORDS, waitWord } from '../data/words.ts';
import { Icon, type IconName } from './icons.tsx';

interface Chip {
  readonly state: string;
  readonly text: string;
  readonly count: number;
  readonly icon?: IconName;
}

export function chipsOf({ all, byState, byWait, frozen }: LineCounts): readonly Chip[] {
  const states = (['failing', 'waiting', 'rolling', 'troubled', 'current'] as const).map(
    (state): Chip => ({ state, text: STATE_WORDS[state], count: byState[state], icon: state }),
  );
  const waits = Object.entries(byWait)
    .filter(([why]) => why !== 'frozen')
    .sort()
    .map(([why, count]): Chip => ({ state: why, text: waitWord(why), count }));
  return [
    { state: '', text: 'All', count: all },
    ...states,
    { state: 'frozen', text: 'Frozen', count: frozen, icon: 'frozen' },
    ...waits,
  ];
}

interface ChipsProps {
  readonly answered: LineCounts | undefined;
  /** Of a list that is not filtered, the stream has the counts. */
  readonly isFiltered: boolean;
  readonly route: Route;
}

export function Chips({ answered, isFiltered, route }: ChipsProps) {
  const store = useStore(({ counts: all }) => [!isFiltered && JSON.stringify(all)]);
  const counts = isFiltered ? answered : (store.counts ?? answered);
  if (!counts) return null;
  const { state = '' } = route.query;
  const shown = chipsOf(counts).filter((chip) => chip.count > 0 || chip.state === state || chip.state === '');
  return (
    <fieldset class="chips">
      <legend class="hidden">State</legend>
      {shown.map((chip) => (
        <button
          type="button"
          key={chip.state}
          class={`chip chip-${chip.state || 'all'}`}
          aria-pressed={chip.state === state}
          onClick={() => goTo({ ...route, query: { ...route.query, state: chip.state } })}
        >
          {chip.icon && <Icon name={chip.icon} />}
          {chip.text} <span class="count">{chip.count.toLocaleString('en')}</span>
        </button>
      ))}
    </fieldset>
  );
}

interface SearchProps {
  readonly route: Route;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly label: string;
}

export function Search({ route, field, label }: SearchProps) {
  return (
    <label class="search">
      <Icon name="search" />
      <span class="hidden">{label}</span>
      <input
        ref={field}
        type="search"
        placeholder={`${label}  ( / )`}
        value={route.query.q ?? ''}
        onInput={(event) => goTo({ ...route, query: { ...route.query, q: event.currentTarget.value } }, true)}
      />
    </label>
  );
}
