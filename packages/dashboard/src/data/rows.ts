/** The list that a table shows. */
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { get } from './api.ts';
import { useRedraw, useStore } from './hooks.ts';
import { type Page, PagedList } from './paged-list.ts';

/** Another path is another list; another `version` is the same list with changed rows. */
export function useRows<T, A extends Page<T> & { readonly revision: string }>(
  path: string,
  version: unknown,
): PagedList<T, A> {
  const store = useStore(({ link }) => [link]);
  const redraw = useRedraw();
  const asked = useMemo(
    () =>
      new PagedList<T, A>(
        (offset, limit, signal) =>
          get<A>(`${path}${path.endsWith('?') ? '' : '&'}limit=${limit}&offset=${offset}`, signal),
        redraw,
      ),
    [path],
  );
  useEffect(() => () => asked.end(), [asked]);
  // Before the first paint: the user waits for these rows.
  useLayoutEffect(() => asked.renew(), [asked, version]);
  const revision = asked.answer?.revision;
  useEffect(() => {
    if (revision !== undefined && store.isBeforeStream(revision)) asked.renew();
  }, [asked, revision, store.link]);
  useEffect(() => {
    if (store.link === 'live' && asked.error !== undefined) asked.renew();
  }, [asked, store.link]);
  // The previous rows stay until the new list has something to show.
  const shown = useRef(asked);
  if (asked.answer || asked.error !== undefined) shown.current = asked;
  return shown.current;
}
