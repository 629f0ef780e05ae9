/** One workload: its waits, its sources as a graph, its settings, its history, and the command for each action. */
import type { Explanation, WorkloadsAnswer } from '@reloader/operator/api';
import { linkTo, useAnswer, useEvery, useNow, useStore } from '../data/hooks.ts';
import { workloadCommands } from '../data/kubectl.ts';
import { pathOf, type Ref, type Route } from '../data/route.ts';
import { localTimes, nameOf, thawWord } from '../data/words.ts';
import { FreezeButton, ReleaseButtons } from '../parts/action.tsx';
import { SourceGraph } from '../parts/graph.tsx';
import { Ago, Card, Commands, Empty, SourceLink, StateMark } from '../parts/pieces.tsx';
import { stepsOf, WaitChain } from '../parts/waits.tsx';

export function WorkloadView({ route }: { readonly route: Route }) {
  const now = useNow();
  const ref = route.ref as Explanation['workload'];
  const path = pathOf(ref);
  const store = useStore((latest) => [latest.link, latest.line(ref)]);
  const listed = useAnswer<WorkloadsAnswer>(
    `workloads?workload=${path}`,
    `${useEvery(({ population }) => population)} ${store.link === 'live'}`,
  ).value?.items[0];
  const line = listed ? store.newest(listed) : store.line(ref);
  // Requested again when the workload's line changes: then there is something new to explain.
  const version = useEvery((latest) => latest.line(ref)?.number ?? 0);
  const { value, error } = useAnswer<Explanation>(`workloads/${path}`, `${version} ${store.link === 'live'}`);
  const isFrozen = line?.frozen === 'workload';
  return (
    <article class="one">
      <header class="title">
        <p class="crumbs">
          <a href={linkTo('workloads')}>Workloads</a> /{' '}
          <a href={linkTo('workloads', undefined, { namespace: ref.namespace })}>{ref.namespace}</a>
        </p>
        <h1>
          <small>{ref.kind}</small> {ref.name}
        </h1>
        {line && <StateMark line={line} />}
        {line && <ReleaseButtons line={line} />}
        <FreezeButton target={ref} isFrozen={isFrozen} then={thawWord(value?.outlook.waits ?? [])} />
      </header>
      {error !== undefined && (
        <Empty title="The operator does not explain it">
          <p>{error}</p>
        </Empty>
      )}
      {value && (
        <>
          <p class="summary">{localTimes(value.summary)}</p>
          {value.lastError !== undefined && <p class="banner bad">{value.lastError}</p>}
          {line?.rolloutFailed !== undefined && <p class="banner bad">{line.rolloutFailed}</p>}
          <div class="columns">
            <div class="main">
              <Card title="From a change to its rollout">
                <WaitChain steps={stepsOf(value, line, now)} />
              </Card>
              <Card title="Sources">
                {value.sources.length + value.notWatched.length === 0 ? (
                  <p class="quiet calm">
                    Its pods use no Secret and no ConfigMap, and nothing names one for it.
                  </p>
                ) : (
                  <div class="scroll">
                    <SourceGraph answer={value} />
                  </div>
                )}
                <Reasons answer={value} />
              </Card>
            </div>
            <div>
              <Settings answer={value} />
              <Past answer={value} />
              <Card title="In a terminal">
                <Commands commands={workloadCommands(ref as Ref, isFrozen, line?.pending)} />
              </Card>
            </div>
          </div>
        </>
      )}
    </article>
  );
}

function Reasons({ answer: { sources, notWatched } }: { readonly answer: Explanation }) {
  const all = [...sources, ...notWatched];
  if (all.length === 0) return null;
  return (
    <details>
      <summary>Why each of them is watched or not</summary>
      <dl class="reasons">
        {all.map((source) => (
          <div key={nameOf(source)}>
            <dt>
              <SourceLink source={source} />
            </dt>
            <dd>{source.because}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Settings({ answer }: { readonly answer: Explanation }) {
  const { policy, origins, configs, problems, notes, ledger } = answer;
  const rows = Object.entries(policy).filter(([, value]) => typeof value === 'string') as [string, string][];
  return (
    <Card title="Settings">
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{spaced(name)}</dt>
            <dd>
              {value}
              {origins[name] !== undefined && <small class="quiet">{origins[name]}</small>}
            </dd>
          </div>
        ))}
        {policy.windows && (
          <div>
            <dt>windows</dt>
            <dd>{policy.windows.join(', ')}</dd>
          </div>
        )}
        <div>
          <dt>record</dt>
          <dd>{ledger}</dd>
        </div>
        {configs.length > 0 && (
          <div>
            <dt>ReloaderConfigs</dt>
            <dd>{configs.map(({ namespace, name }) => `${namespace}/${name}`).join(', ')}</dd>
          </div>
        )}
      </dl>
      {[...problems, ...notes].map(({ reason, message }) => (
        <p class="banner warn" key={reason + message}>
          <b>{reason}</b> {message}
        </p>
      ))}
    </Card>
  );
}

function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function Past({ answer: { history } }: { readonly answer: Explanation }) {
  return (
    <Card title="Past reloads">
      {history.length === 0 && <p class="quiet calm">None on record.</p>}
      <ol class="past">
        {[...history].reverse().map(({ seq, at, result, seconds, sources, message }) => (
          <li key={seq} class={result}>
            <span class="result">{result}</span>
            <span>
              #{seq}, <Ago time={at} />
              {seconds !== undefined && `, took ${seconds}s`}
            </span>
            <p class="quiet">{sources.map(nameOf).join(', ') || 'an undone reload'}</p>
            {message !== undefined && <p class="bad">{message}</p>}
          </li>
        ))}
      </ol>
    </Card>
  );
}
