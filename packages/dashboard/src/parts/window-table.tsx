// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed by hand cannot be those of a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: rows of a table that only shows are not
/**
 * A table of any length that requests and renders only the visible rows: 10,000 rows in the document would keep the
 * browser busy. All rows have the same height, which the style sheet sets as well.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const ROW_PX = 44;
/** Rows rendered above and below the visible ones, so that scrolling shows no gaps. */
const MORE_ROWS = 8;

export interface Column<T> {
  readonly title: string;
  readonly class: string;
  readonly cell: (item: T) => ComponentChildren;
}

interface Props<T> {
  readonly label: string;
  readonly list: {
    readonly total: number;
    row(at: number): T | undefined;
    show(first: number, last: number): void;
  };
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T) => string;
  /** The index of the row that is selected with the keyboard. */
  readonly chosen: number;
}

export function WindowTable<T>({ label, list, columns, keyOf, chosen }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => setSeen({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  useEffect(() => {
    const element = box.current;
    if (!element || chosen < 0) return;
    const top = chosen * ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + 2 * ROW_PX > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + 2 * ROW_PX - element.clientHeight;
    }
  }, [chosen]);
  const first = Math.max(0, Math.floor(seen.top / ROW_PX) - MORE_ROWS);
  const last = Math.min(list.total, Math.ceil((seen.top + seen.height) / ROW_PX) + MORE_ROWS);
  useEffect(() => list.show(first, last), [list, first, last]);
  const places = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    // Keyboard users have to be able to focus it to scroll.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section class="table" ref={box} tabIndex={0} aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={list.total + 1}>
        <div role="rowgroup" class="head">
          <div role="row" class="row" aria-rowindex={1}>
            {columns.map((column) => (
              <span role="columnheader" class={column.class} key={column.title}>
                {column.title}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" class="rows" style={{ height: `${list.total * ROW_PX}px` }}>
          {places.map((at) => {
            const item = list.row(at);
            return (
              <div
                role="row"
                class={at === chosen ? 'row chosen' : 'row'}
                key={item === undefined ? at : keyOf(item)}
                aria-rowindex={at + 2}
                aria-current={at === chosen ? 'true' : undefined}
                style={{ transform: `translateY(${at * ROW_PX}px)` }}
              >
                {columns.map((column) => (
                  <span role="cell" class={column.class} key={column.title}>
                    {item === undefined ? '…' : column.cell(item)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
