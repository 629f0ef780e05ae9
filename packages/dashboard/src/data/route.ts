/** The route, as the fragment holds it: `#/w/Deployment/shop/web?state=frozen`. Pure. */

export type ViewName = 'now' | 'workloads' | 'workload' | 'sources' | 'source' | 'timeline' | 'freezes';

export interface Ref {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Route {
  readonly view: ViewName;
  /** The workload or the source that the view is about. */
  readonly ref?: Ref;
  readonly query: Readonly<Record<string, string>>;
}

// Without a prototype: an address may name anything, `constructor` as well.
const LISTS: Readonly<Record<string, ViewName>> = {
  __proto__: null as never,
  now: 'now',
  w: 'workloads',
  s: 'sources',
  t: 'timeline',
  f: 'freezes',
};
const ONES: Readonly<Record<string, ViewName>> = { __proto__: null as never, w: 'workload', s: 'source' };

/** A fragment that cannot be parsed leads to the start view. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2);
  const query = Object.fromEntries(new URLSearchParams(search));
  const parts = path.split('/').filter((part) => part !== '');
  const words = parts.map(decoded);
  const [first = 'now', kind, namespace, name] = words;
  if (words.length === 4 && kind && namespace && name && ONES[first]) {
    return { view: ONES[first], ref: { kind, namespace, name }, query };
  }
  return { view: LISTS[first] ?? 'now', query };
}

export function formatRoute({ view, ref, query }: Route): string {
  const one = Object.entries(ONES).find(([, name]) => name === view)?.[0];
  const list = Object.entries(LISTS).find(([, name]) => name === view)?.[0];
  const path = ref && one ? `${one}/${pathOf(ref)}` : (list ?? 'now');
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

/** `Kind/namespace/name`, as a part of an address. */
export function pathOf({ kind, namespace, name }: Ref): string {
  return [kind, namespace, name].map(encodeURIComponent).join('/');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
