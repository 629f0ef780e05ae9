/** Every Secret, ConfigMap and SecretProviderClass that a workload is reloaded for. */
import type { SourceLine, SourcesAnswer } from '@reloader/operator/api';
import { useRef } from 'preact/hooks';
import { useChoice } from '../data/choice.ts';
import { listPath } from '../data/filter.ts';
import { goTo, useEvery } from '../data/hooks.ts';
import type { Route } from '../data/route.ts';
import { useRows } from '../data/rows.ts';
import { keyOf, plural } from '../data/words.ts';
import { Search } from '../parts/chips.tsx';
import { Ago, Asking, Empty, SourceLink } from '../parts/pieces.tsx';
import { type Column, WindowTable } from '../parts/window-table.tsx';

const COLUMNS: readonly Column<SourceLine>[] = [
  { title: 'Source', class: 'c-name', cell: ({ source }) => <SourceLink source={source} /> },
  { title: 'Reloads', class: 'c-why', cell: ({ usedBy }) => plural(usedBy, 'workload') },
  {
    title: 'Last written',
    class: 'c-last',
    cell: ({ exists, lastChanged }) =>
      lastChanged === undefined ? (
        <span class="quiet">{exists === 'no' ? 'does not exist' : 'cannot be read'}</span>
      ) : (
        <span title={lastChanged}>
          <Ago time={lastChanged} />
        </span>
      ),
  },
];

export function SourcesView({ route }: { readonly route: Route }) {
  const field = useRef<HTMLInputElement>(null);
  // A change of any source refreshes the list, but not at every frame.
  const path = listPath('sources', { q: route.query.q ?? '' });
  const version = useEvery((store) => `${store.lastChangeOf()} ${store.population}`);
  const list = useRows<SourceLine, SourcesAnswer>(path, version);
  const { answer, error, total } = list;
  const chosen = useChoice({
    list,
    filter: path,
    field,
    open: ({ source }) => goTo({ view: 'source', ref: source, query: {} }),
  });
  return (
    <div class="workloads sources">
      <h1 class="hidden">Sources</h1>
      <div class="filters">
        <Search route={route} field={field} label="Filter sources: pick one to see what a change would do" />
      </div>
      {error !== undefined && <Empty title="No answer">{error}</Empty>}
      {!answer && error === undefined && <Asking />}
      {answer && total === 0 && (
        <Empty title={path === listPath('sources', {}) ? 'Nothing is watched yet' : 'Nothing matches'} />
      )}
      {answer && total > 0 && (
        <WindowTable
          label="Sources"
          list={list}
          columns={COLUMNS}
          keyOf={({ source }) => keyOf(source)}
          chosen={chosen}
        />
      )}
    </div>
  );
}
