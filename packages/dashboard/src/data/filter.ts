/** Filters: from the address of the view to the query sent to the operator. Pure. */

const FILTERS = ['q', 'state', 'namespace', 'kind'] as const;

export type Filter = Readonly<Record<(typeof FILTERS)[number], string>>;

export function filterOf(query: Readonly<Record<string, string>>): Filter {
  const { q = '', state = '', namespace = '', kind = '' } = query;
  return { q, state, namespace, kind };
}

/** `workloads?…` with the filters that are set; without a query if none is. */
export function listPath(list: 'workloads' | 'sources', filter: Partial<Filter>): string {
  const given = FILTERS.flatMap((name): [string, string][] => {
    const value = (filter[name] ?? '').trim();
    return value === '' ? [] : [[name, value]];
  });
  return `${list}?${new URLSearchParams(given)}`;
}
