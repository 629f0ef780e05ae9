/** Every workload that is opted in, in a table that filters while the user types. */
import type { LineCounts, NumberedLine, WorkloadsAnswer } from '@reloader/operator/api';
import { useMemo, useRef } from 'preact/hooks';
import { useChoice } from '../data/choice.ts';
import { filterOf, listPath } from '../data/filter.ts';
import { goTo, linkTo, useEvery, useStore } from '../data/hooks.ts';
import type { Route } from '../data/route.ts';
import { useRows } from '../data/rows.ts';
import { keyOf, plural } from '../data/words.ts';
import { Chips, Search } from '../parts/chips.tsx';
import { Ago, Asking, Empty, Progress, StateMark, WaitEnd, WorkloadLink } from '../parts/pieces.tsx';
import { type Column, WindowTable } from '../parts/window-table.tsx';

const MOST_NAMED = 2;

export function WorkloadsView({ route }: { readonly route: Route }) {
  const field = useRef<HTMLInputElement>(null);
  const filter = filterOf(route.query);
  const { namespace, kind } = filter;
  const path = listPath('workloads', filter);
  const isFiltered = path !== listPath('workloads', {});
  const store = useStore(({ counts }) => [counts?.all]);
  // The stream keeps the rows up to date. A change of state changes the set of rows only if the list is filtered by
  // state.
  const list = useRows<NumberedLine, WorkloadsAnswer>(
    path,
    useEvery(({ changes, population }) => (isFiltered ? changes : population)),
  );
  // Of the other workloads, a change is not drawn.
  useStore((latest) => list.shown.map((line) => latest.newest(line).number));
  const { answer, error, total } = list;
  const chosen = useChoice({
    list,
    filter: path,
    field,
    open: ({ workload }) => goTo({ view: 'workload', ref: workload, query: {} }),
  });
  const newest = useMemo(
    () => ({
      get total() {
        return list.total;
      },
      row: (at: number) => {
        const line = list.row(at);
        return line && store.newest(line);
      },
      show: (first: number, last: number) => list.show(first, last),
    }),
    [list],
  );
  return (
    <div class="workloads">
      <h1 class="hidden">Workloads</h1>
      <div class="filters">
        <Search route={route} field={field} label="Filter by name or source" />
        <Chips answered={answer?.counts} isFiltered={isFiltered} route={route} />
        {namespace !== '' && <Only what="namespace" value={namespace} route={route} />}
        {kind !== '' && <Only what="kind" value={kind} route={route} />}
      </div>
      <p class="hidden" role="status">
        {answer && plural(total, 'workload')}
      </p>
      {error !== undefined && <Empty title="No answer">{error}</Empty>}
      {!answer && error === undefined && <Asking />}
      {answer && total === 0 && <Nothing all={store.counts} />}
      {answer && total > 0 && (
        <WindowTable
          label="Workloads"
          list={newest}
          columns={COLUMNS}
          keyOf={(line) => keyOf(line.workload)}
          chosen={chosen}
        />
      )}
    </div>
  );
}

function Nothing({ all }: { readonly all: LineCounts | undefined }) {
  const count = all?.all ?? 0;
  return (
    <Empty title={count === 0 ? 'No workload asks for reloads yet' : 'Nothing matches'}>
      <p>
        <a href={linkTo('workloads')}>Show all {plural(count, 'workload')}</a>
      </p>
    </Empty>
  );
}

function Only(props: { readonly what: 'namespace' | 'kind'; readonly value: string; readonly route: Route }) {
  const { what, value, route } = props;
  return (
    <button
      type="button"
      class="chip"
      onClick={() => goTo({ ...route, query: { ...route.query, [what]: '' } })}
    >
      {what} {value} <span aria-hidden="true">×</span>
      <span class="hidden">: take this filter away</span>
    </button>
  );
}

const COLUMNS: readonly Column<NumberedLine>[] = [
  { title: 'State', class: 'c-state', cell: (line) => <StateMark line={line} /> },
  { title: 'Workload', class: 'c-name', cell: ({ workload }) => <WorkloadLink workload={workload} /> },
  {
    title: 'Until, progress or why',
    class: 'c-why',
    cell: ({ pending, pods, rolloutFailed, lastError }) => {
      const error = rolloutFailed ?? lastError;
      if (error !== undefined) return <span class="bad clip">{error}</span>;
      if (pods) return <Progress pods={pods} />;
      return pending ? <WaitEnd wait={pending} /> : <span class="quiet">–</span>;
    },
  },
  { title: 'Sources', class: 'c-sources', cell: (line) => <Sources line={line} /> },
  {
    title: 'Last reload',
    class: 'c-last',
    cell: ({ lastReload, reloads }) =>
      lastReload === undefined ? (
        <span class="quiet">never</span>
      ) : (
        <span title={lastReload}>
          <Ago time={lastReload} /> <small class="quiet">#{reloads}</small>
        </span>
      ),
  },
];

function Sources({ line: { sources } }: { readonly line: NumberedLine }) {
  const more = sources.length - MOST_NAMED;
  return (
    <span class="clip">
      {sources.slice(0, MOST_NAMED).map((source, at) => (
        <span key={keyOf(source)}>
          {at > 0 && ', '}
          <a class="plain" href={linkTo('source', source)}>
            {source.name}
          </a>
        </span>
      ))}
      {more > 0 && <span class="quiet"> +{more}</span>}
    </span>
  );
}
