/** One source: the workloads that are reloaded for it, and what would happen if it changed now. */
import type { SourceAnswer, WhatIf } from '@reloader/operator/api';
import { goTo, linkTo, useAnswer, useEvery, useNow, useStore } from '../data/hooks.ts';
import { sourceCommands } from '../data/kubectl.ts';
import { pathOf, type Ref, type Route } from '../data/route.ts';
import { agoText, dayText, keyOf, localTimes, plural, untilText, waitWord } from '../data/words.ts';
import { Ago, Card, Commands, Empty, StateMark, WorkloadLink } from '../parts/pieces.tsx';

const MOST_USERS = 50;

export function SourceView({ route }: { readonly route: Route }) {
  const now = useNow();
  const ref = route.ref as Ref;
  const changes = useEvery((latest) => latest.lastChangeOf(keyOf(ref)));
  const { value, error } = useAnswer<SourceAnswer>(
    `sources/${pathOf(ref)}`,
    `${changes} ${useEvery(({ population }) => population)}`,
  );
  const store = useStore((latest) => [
    latest.link,
    ...(value?.usedBy ?? []).map((line) => latest.newest(line).number),
  ]);
  return (
    <article class="one">
      <header class="title">
        <p class="crumbs">
          <a href={linkTo('sources')}>Sources</a> / {ref.namespace}
        </p>
        <h1>
          <small>{ref.kind}</small> {ref.name}
        </h1>
        {value && <p class="quiet">{existence(value, now)}</p>}
      </header>
      {error !== undefined && <Empty title="No answer">{error}</Empty>}
      <div class="columns">
        <div class="main">
          <Prediction route={route} source={ref} version={`${changes} ${store.link === 'live'}`} now={now} />
        </div>
        <div>
          <Card title="Reloads" aside={value && plural(value.users, 'workload')}>
            {value?.users === 0 && <p class="quiet calm">No workload is reloaded for it.</p>}
            <ul class="lines">
              {value?.usedBy.slice(0, MOST_USERS).map((line) => (
                <li key={keyOf(line.workload)}>
                  <WorkloadLink workload={line.workload} />
                  <StateMark line={store.newest(line)} />
                </li>
              ))}
            </ul>
            {value && value.users > MOST_USERS && (
              <p class="quiet">and {(value.users - MOST_USERS).toLocaleString('en')} more</p>
            )}
          </Card>
          <Card title="Changes seen">
            {value?.changes.length === 0 && <p class="quiet calm">None since the operator started.</p>}
            <ol class="past">
              {value?.changes.map(({ number, at, change, concerned = 0 }) => (
                <li key={number}>
                  <span class="result">{change}</span>
                  <span title={at}>
                    <Ago time={at} />, {plural(concerned, 'workload')}
                  </span>
                </li>
              ))}
            </ol>
          </Card>
          <Card title="In a terminal">
            <Commands commands={sourceCommands(ref)} />
          </Card>
        </div>
      </div>
    </article>
  );
}

function existence({ exists, lastChanged }: SourceAnswer, now: number): string {
  if (exists === 'no') return 'does not exist';
  return lastChanged === undefined ? 'cannot be read' : `last written ${agoText(lastChanged, now)}`;
}

interface PredictionProps {
  readonly route: Route;
  readonly source: Ref;
  readonly version: string;
  readonly now: number;
}

function Prediction({ route, source, version, now }: PredictionProps) {
  const { what = 'changed', keys = '' } = route.query;
  const query = new URLSearchParams({ kind: source.kind, ns: source.namespace, name: source.name });
  if (what === 'deleted') query.set('deleted', 'true');
  for (const key of keys.split(',').map((each) => each.trim())) if (key !== '') query.append('key', key);
  const { value, error } = useAnswer<WhatIf>(`what-if?${query}`, version);
  const set = (more: Route['query'], quietly = false): void =>
    goTo({ ...route, query: { ...route.query, ...more } }, quietly);
  return (
    <Card title="What if it changed now?">
      <div class="form">
        <fieldset class="chips">
          <legend class="hidden">What happens to it</legend>
          {['changed', 'deleted'].map((each) => (
            <button
              type="button"
              class="chip"
              key={each}
              aria-pressed={what === each}
              onClick={() => set({ what: each })}
            >
              It is {each}
            </button>
          ))}
        </fieldset>
        <label class="search">
          <span>Only these keys</span>
          <input
            type="text"
            value={keys}
            placeholder="all, or a, b"
            onInput={(event) => set({ keys: event.currentTarget.value }, true)}
          />
        </label>
      </div>
      {error !== undefined && <p class="banner bad">{error}</p>}
      {value && <Waves answer={value} now={now} />}
    </Card>
  );
}

/** The wait that has no known end. */
function holdOf({ waits }: WhatIf['reloads'][number]): string {
  return (waits.find(({ until }) => until === undefined) ?? waits.at(-1))?.why ?? 'later';
}

function Waves({ answer, now }: { readonly answer: WhatIf; readonly now: number }) {
  const { reloads, others, warning, estimate } = answer;
  const waves = new Map<string, WhatIf['reloads'][number][]>();
  for (const each of reloads) {
    // Reloads that begin within the same second are shown as one group.
    const when = each.at?.replace(/\.\d+Z$/, 'Z') ?? holdOf(each);
    waves.set(when, [...(waves.get(when) ?? []), each]);
  }
  return (
    <>
      <p class="verdict">
        {reloads.length === 0 ? (
          'Nothing would restart.'
        ) : (
          <>
            <b>{plural(reloads.length, 'workload')}</b> would restart
            {reloads[0]?.at !== undefined && <>, the first {untilText(reloads[0].at, now)}</>}.
          </>
        )}
        {estimate && ` ${localTimes(estimate.message)}.`}
      </p>
      {warning !== undefined && <p class="banner warn">{warning}</p>}
      <ol class="waves">
        {[...waves].map(([when, members], at) => (
          <li key={when}>
            <h3>
              <span class="order">{members[0]?.at === undefined ? '–' : at + 1}</span>
              {members[0]?.at === undefined ? waitWord(when) : `${dayText(when)}, ${untilText(when, now)}`}
              <span class="count">{members.length}</span>
            </h3>
            <p class="why">{members[0]?.waits.map(({ message }) => message).join('. ')}</p>
            <ul class="lines">
              {members.map(({ workload, how }) => (
                <li key={keyOf(workload)}>
                  <WorkloadLink workload={workload} />
                  <span class="quiet">{how}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {others.length > 0 && (
        <>
          <h3>Would not restart</h3>
          <ul class="lines">
            {others.map(({ workload, because }) => (
              <li key={keyOf(workload)} class="wide">
                <WorkloadLink workload={workload} />
                <p class="why">because {because}</p>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
