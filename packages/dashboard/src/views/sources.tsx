/** Every Secret, ConfigMap and SecretProviderClass that somebody is reloaded for. */
import type { SourceLine, SourcesAnswer } from '@reloader/operator/api';
import { useMemo, useRef } from 'preact/hooks';
import { useChoice } from '../data/choice.ts';
import { goTo, useAnswer, useNow, useStore } from '../data/hooks.ts';
import type { Route } from '../data/route.ts';
import { agoText, keyOf, plural } from '../data/words.ts';
import { Search } from '../parts/chips.tsx';
import { Empty, SourceLink } from '../parts/pieces.tsx';
import { type Column, WindowTable } from '../parts/window-table.tsx';

export function SourcesView({ route }: { readonly route: Route }) {
  const store = useStore();
  const now = useNow();
  const field = useRef<HTMLInputElement>(null);
  // A change of any source is worth another look, though not at every frame.
  const changes = store.events.filter(({ type }) => type === 'source').length;
  const { value, error } = useAnswer<SourcesAnswer>('sources', `${changes} ${store.isComplete}`);
  const { q = '' } = route.query;
  const items = useMemo(() => {
    const words = q
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    return (value?.items ?? []).filter(({ source: { kind, namespace, name } }) => {
      const text = `${kind} ${namespace}/${name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [value, q]);
  const chosen = useChoice({
    items,
    filter: q,
    field,
    open: ({ source }) => goTo({ view: 'source', ref: source, query: {} }),
  });
  const columns = useMemo(
    (): readonly Column<SourceLine>[] => [
      { title: 'Source', class: 'c-name', cell: ({ source }) => <SourceLink source={source} /> },
      { title: 'Reloads', class: 'c-why', cell: ({ usedBy }) => plural(usedBy, 'workload') },
      {
        title: 'Last written',
        class: 'c-last',
        cell: ({ lastChanged }) =>
          lastChanged === undefined ? (
            <span class="quiet">does not exist</span>
          ) : (
            <span title={lastChanged}>{agoText(lastChanged, now)}</span>
          ),
      },
    ],
    [now],
  );
  return (
    <div class="workloads sources">
      <h1 class="hidden">Sources</h1>
      <div class="filters">
        <Search route={route} field={field} label="Filter sources: pick one to see what a change would do" />
      </div>
      {error !== undefined && <Empty title="No answer">{error}</Empty>}
      {value && items.length === 0 ? (
        <Empty title={value.items.length === 0 ? 'Nothing is watched yet' : 'Nothing matches'} />
      ) : (
        <WindowTable
          label="Sources"
          items={items}
          columns={columns}
          keyOf={({ source }) => keyOf(source)}
          chosen={chosen}
        />
      )}
    </div>
  );
}
