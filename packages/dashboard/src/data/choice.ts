/** The table row that is selected with the keyboard. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useRedraw } from './hooks.ts';
import { onMove } from './keys.ts';

export interface ChoiceOptions<T> {
  readonly list: { readonly total: number; row(at: number): T | undefined };
  /** A different filter resets the selection. */
  readonly filter: string;
  readonly field: { readonly current: HTMLInputElement | null };
  readonly open: (item: T) => void;
}

/**
 * The index of the selected row; -1 for none. Each key moves from the latest index, even if the page was not rendered
 * in between.
 */
export function useChoice<T>(options: ChoiceOptions<T>): number {
  const latest = useRef(options);
  const choice = useRef({ filter: options.filter, at: -1 });
  const redraw = useRedraw();
  latest.current = options;
  if (choice.current.filter !== options.filter) choice.current = { filter: options.filter, at: -1 };
  useLayoutEffect(
    () =>
      onMove((move) => {
        const { list, field, open } = latest.current;
        const { at } = choice.current;
        if (move === 'search') return field.current?.focus();
        if (move === 'open') {
          const item = list.row(at);
          if (item !== undefined) open(item);
          return;
        }
        choice.current.at = Math.max(0, Math.min(list.total - 1, at + (move === 'next' ? 1 : -1)));
        redraw();
      }),
    [],
  );
  return choice.current.at;
}
