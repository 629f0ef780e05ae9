/** The current state: failing, waiting (why, until when) and rolling workloads, and the latest events. */
import type { TimelineEvent, WaitGroup } from '@reloader/operator/api';
import { linkTo, useNow, useOverview, useStore } from '../data/hooks.ts';
import { FIRST_STEPS } from '../data/kubectl.ts';
import { dayText, eventText, keyOf, plural, waitWord } from '../data/words.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import {
  Ago,
  Asking,
  Card,
  Commands,
  Empty,
  Progress,
  SourceLink,
  WaitEnd,
  WorkloadLink,
} from '../parts/pieces.tsx';

const MOST_EVENTS = 30;

export function NowView() {
  const overview = useOverview();
  // The latest events are drawn with the overview or once a second: at every batch would keep the browser busy.
  useNow();
  const store = useStore(({ counts, begins }) => [JSON.stringify(counts), begins]);
  if (!overview) return <Asking />;
  const { failing, rolling, waiting } = overview;
  const counts = store.counts ?? overview.counts;
  if (counts.all === 0) return <NothingYet />;
  return (
    <div class="now">
      <h1 class="hidden">Now</h1>
      <nav class="tiles" aria-label="Workloads by state">
        <Tile state="failing" text="failing" count={counts.byState.failing} />
        <Tile state="waiting" text="waiting" count={counts.byState.waiting} />
        <Tile state="rolling" text="rolling out" count={counts.byState.rolling} />
        <Tile state="frozen" text="frozen" count={counts.frozen} />
        <Tile
          state="current"
          text={`of ${counts.all.toLocaleString('en')} up to date`}
          count={counts.byState.current}
        />
      </nav>
      <div class="columns">
        <div class="main">
          {failing.count > 0 && (
            <Card title="Failing" tone="bad" aside={<More state="failing" count={failing.count} />}>
              <ul class="lines">
                {failing.first.map((line) => (
                  <li key={keyOf(line.workload)}>
                    <WorkloadLink workload={line.workload} />
                    <p class="why bad">{line.rolloutFailed ?? line.lastError}</p>
                  </li>
                ))}
              </ul>
            </Card>
          )}
          <Card title="Waiting" aside={<More state="waiting" count={counts.byState.waiting} />}>
            {waiting.length === 0 ? (
              <Quiet text="No change waits: everything that changed is rolled out." />
            ) : null}
            {waiting.map((group) => (
              <Waiting key={group.why} group={group} />
            ))}
          </Card>
          <Card title="Rolling out" aside={<More state="rolling" count={rolling.count} />}>
            {rolling.count === 0 ? <Quiet text="No rollout is under way." /> : null}
            <ul class="lines">
              {rolling.first.map(store.newest, store).map((line) => (
                <li key={keyOf(line.workload)}>
                  <WorkloadLink workload={line.workload} />
                  {line.pods && <Progress pods={line.pods} />}
                </li>
              ))}
            </ul>
          </Card>
        </div>
        <Card title="Lately" aside={<a href={linkTo('timeline')}>Timeline</a>}>
          <Lately events={store.events} begins={store.begins} />
        </Card>
      </div>
    </div>
  );
}

function Tile({
  state,
  text,
  count,
}: {
  readonly state: IconName;
  readonly text: string;
  readonly count: number;
}) {
  return (
    <a
      class={`tile tile-${state} ${count === 0 ? 'none' : ''}`}
      href={linkTo('workloads', undefined, { state })}
    >
      <Icon name={state} />
      <span class="number">{count.toLocaleString('en')}</span>
      <span class="text">{text}</span>
    </a>
  );
}

function More({ state, count }: { readonly state: string; readonly count: number }) {
  return count === 0 ? null : (
    <a href={linkTo('workloads', undefined, { state })}>all {count.toLocaleString('en')}</a>
  );
}

const Quiet = ({ text }: { readonly text: string }) => <p class="quiet calm">{text}</p>;

function Waiting({ group }: { readonly group: WaitGroup }) {
  const { why, count, first } = group;
  return (
    <section class={`group group-${why}`}>
      <h3>
        <Icon name={why === 'frozen' ? 'frozen' : 'waiting'} />
        {waitWord(why)} <span class="count">{count.toLocaleString('en')}</span>
      </h3>
      <p class="why">{first[0]?.pending?.message}</p>
      <ul class="lines">
        {first.map(({ workload, pending }) => (
          <li key={keyOf(workload)}>
            <WorkloadLink workload={workload} />
            {pending && <WaitEnd wait={pending} />}
          </li>
        ))}
      </ul>
      {count > first.length && (
        <a href={linkTo('workloads', undefined, { state: why })}>
          and {(count - first.length).toLocaleString('en')} more
        </a>
      )}
    </section>
  );
}

const EVENT_ICONS: Readonly<Record<TimelineEvent['type'], IconName>> = {
  source: 'source',
  wait: 'waiting',
  reload: 'rolling',
  rollout: 'current',
  refused: 'failing',
  observe: 'waiting',
};

export function Lately(props: { readonly events: readonly TimelineEvent[]; readonly begins: string }) {
  const { events, begins } = props;
  const shown = events
    .filter(({ type, wait }) => type !== 'wait' || wait?.why !== 'settling')
    .slice(-MOST_EVENTS)
    .reverse();
  return (
    <>
      <ol class="feed">
        {shown.map((event) => (
          <EventItem key={`${event.number} ${event.at}`} event={event} />
        ))}
      </ol>
      <p class="quiet edge-note">
        {begins === '' ? '' : `Before ${dayText(begins)}, only reloads are known.`}
      </p>
    </>
  );
}

function EventItem({ event }: { readonly event: TimelineEvent }) {
  const { type, result, at, workload, source, change, concerned = 0 } = event;
  const isBad = result === 'failed' || result === 'timeout';
  const icon = isBad ? 'failing' : EVENT_ICONS[type];
  return (
    <li class={`event event-${type} ${isBad ? 'failed' : (result ?? '')}`}>
      <Icon name={icon} />
      <div>
        {source ? (
          <p>
            <SourceLink source={source} /> {change}
            <span class="quiet"> → {plural(concerned, 'workload')}</span>
          </p>
        ) : (
          <p>
            {workload && <WorkloadLink workload={workload} />} <span class="said">{eventText(event)}</span>
          </p>
        )}
      </div>
      <time class="quiet" dateTime={at} title={at}>
        <Ago time={at} />
      </time>
    </li>
  );
}

function NothingYet() {
  return (
    <Empty title="No workload asks for reloads yet">
      <p>
        Annotate one, and it restarts by itself whenever a Secret or ConfigMap that its pods use changes. It
        appears here at once.
      </p>
      <Commands commands={FIRST_STEPS} />
    </Empty>
  );
}
