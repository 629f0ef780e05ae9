/** Hooks of the views: the store, the time, an answer of the operator, the route. */

import type { OverviewAnswer } from '@reloader/operator/api';
import { createContext } from 'preact';
import { useContext, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { ApiFailure, get } from './api.ts';
import { formatRoute, parseRoute, type Route } from './route.ts';
import type { Store } from './store.ts';

export const StoreContext = createContext<Store | undefined>(undefined);

/** Renders again when the store has changed. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error('There is no store above this view');
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => store.subscribe(() => redraw(undefined)), [store]);
  return store;
}

/** Milliseconds since the epoch, updated once a second while the page is visible. */
export function useNow(): number {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) set(Date.now());
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The latest value, updated at most every `ms`: each update causes a request to the operator. */
export function useEvery<T>(value: T, ms = 500): T {
  const [shown, show] = useState(value);
  const at = useRef(0);
  useEffect(() => {
    if (value === shown) return undefined;
    const timer = setTimeout(
      () => {
        at.current = Date.now();
        show(value);
      },
      Math.max(0, at.current + ms - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [value, shown, ms]);
  return shown;
}

/** Requested again when lines change; the feed makes the first request. */
export function useOverview(): OverviewAnswer | undefined {
  const store = useStore();
  const changes = useEvery(store.changes);
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

/** Requests again when the path or `version` changes; keeps the previous answer until the new one arrives. */
export function useAnswer<T>(path: string | undefined, version: unknown): Answered<T> {
  const [answer, set] = useState<Answered<T> & { readonly path?: string | undefined }>({});
  useEffect(() => {
    if (path === undefined) return undefined;
    const ending = new AbortController();
    get<T>(path, ending.signal).then(
      (value) => set({ value, path }),
      (error: unknown) => {
        if (ending.signal.aborted) return;
        const status = error instanceof ApiFailure ? { status: error.status } : {};
        set({ error: error instanceof Error ? error.message : String(error), path, ...status });
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
