/** Hooks of the views: the store, the time, an answer of the operator, the route. */

import type { OverviewAnswer } from '@reloader/operator/api';
import { createContext } from 'preact';
import { useContext, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { ApiFailure, get } from './api.ts';
import { formatRoute, parseRoute, type Route } from './route.ts';
import type { Store } from './store.ts';

const UPDATE_MS = 500;

/** The page provides it above all views. */
export const StoreContext = createContext(undefined as unknown as Store);

/** Returns a function that renders the component again. */
export function useRedraw(): () => void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  return redraw as () => void;
}

/** Renders again when one of the values that `read` returns has changed. */
export function useStore(read: (store: Store) => readonly unknown[]): Store {
  const store = useContext(StoreContext);
  const redraw = useRedraw();
  const shown = useRef({ read, values: read(store) });
  shown.current = { read, values: read(store) };
  useEffect(() => {
    const isConcerned = (): boolean => {
      const { read: again, values } = shown.current;
      return again(store).some((value, at) => value !== values[at]);
    };
    if (isConcerned()) redraw();
    return store.subscribe(redraw, isConcerned);
  }, [store]);
  return store;
}

/**
 * The result of `read` for the time in milliseconds since the epoch. Reads once a second while the page is visible, and
 * renders again if the result is another.
 */
export function useNow<T = number>(read: (now: number) => T = Number as never): T {
  const shown = read(Date.now());
  const redraw = useRedraw();
  // After every rendering: a second later it may be out of date.
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && read(Date.now()) !== shown) redraw();
    }, 1_000);
    return () => clearInterval(timer);
  });
  return shown;
}

/** The value that `read` returns, updated at most twice a second: each update causes a request to the operator. */
export function useEvery<T extends string | number>(read: (store: Store) => T): T {
  const store = useContext(StoreContext);
  const [shown, show] = useState(read(store));
  const latest = useRef({ read, shown });
  latest.current = { read, shown };
  useEffect(() => {
    let at = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isConcerned = (): boolean =>
      timer === undefined && latest.current.read(store) !== latest.current.shown;
    const tell = (): void => {
      timer = setTimeout(
        () => {
          timer = undefined;
          at = Date.now();
          show(latest.current.read(store));
        },
        Math.max(0, at + UPDATE_MS - Date.now()),
      );
    };
    if (isConcerned()) tell();
    const end = store.subscribe(tell, isConcerned);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [store]);
  return shown;
}

/** Requested again when lines change; the feed makes the first request. */
export function useOverview(): OverviewAnswer | undefined {
  const store = useStore(({ overview }) => [overview]);
  const changes = useEvery((latest) => latest.changes);
  useEffect(() => {
    if (!store.overview || store.overviewAt >= changes) return undefined;
    const ending = new AbortController();
    get<OverviewAnswer>('overview', ending.signal).then(
      (overview) => store.take(overview, changes),
      // The stream fails as well, and that is reported.
      () => undefined,
    );
    return () => ending.abort();
  }, [store, changes]);
  return store.overview;
}

export interface Answered<T> {
  readonly value?: T;
  readonly error?: string;
  readonly status?: number;
}

/**
 * Requests again when the path or `version` changes. Keeps the previous answer until the new one arrives, also if the
 * operator cannot be reached: the page says that it is old.
 */
export function useAnswer<T>(path: string | undefined, version: unknown): Answered<T> {
  const [answer, set] = useState<Answered<T> & { readonly path?: string | undefined }>({});
  useEffect(() => {
    if (path === undefined) return undefined;
    const ending = new AbortController();
    get<T>(path, ending.signal).then(
      (value) => set({ value, path }),
      (error: unknown) => {
        if (ending.signal.aborted) return;
        const failed = { error: error instanceof Error ? error.message : String(error), path };
        if (error instanceof ApiFailure) set({ ...failed, status: error.status });
        else set((before) => (before.value !== undefined && before.path === path ? before : failed));
      },
    );
    return () => ending.abort();
  }, [path, version]);
  return answer.path === path ? answer : {};
}

export function useRoute(): Route {
  const [route, set] = useState(parseRoute(location.hash));
  useEffect(() => {
    const read = (): void => set(parseRoute(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return route;
}

/** `quietly`: replaces the history entry instead of adding one, for text that is being typed. */
export function goTo(route: Route, quietly = false): void {
  const { key } = parseRoute(location.hash).query;
  const hash = formatRoute(key === undefined ? route : { ...route, query: { ...route.query, key } });
  if (!quietly) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, '', hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** For `href`: keeps the session key. */
export function linkTo(view: Route['view'], ref?: Route['ref'], query: Route['query'] = {}): string {
  const { key } = parseRoute(location.hash).query;
  return formatRoute({ view, ...(ref && { ref }), query: key === undefined ? query : { ...query, key } });
}
