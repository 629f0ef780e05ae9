/** Events over time: one lane for each workload, and the same events as a list. */
import type { TimelineAnswer, TimelineEvent } from '@reloader/operator/api';
import { useEffect, useRef } from 'preact/hooks';
import { goTo, useAnswer, useNow, useStore } from '../data/hooks.ts';
import { onMove } from '../data/keys.ts';
import type { Route } from '../data/route.ts';
import { dayText, plural } from '../data/words.ts';
import { Search } from '../parts/chips.tsx';
import { Lanes, type Range, svgText } from '../parts/lanes.tsx';
import { Card, Empty } from '../parts/pieces.tsx';
import { Lately } from './now.tsx';

/** Limits in milliseconds of the span `fit`, which shows all known events. */
const FIT_MS = { least: 30_000, most: 3_600_000 } as const;
const SPANS: readonly (readonly [string, number])[] = [
  ['fit', 0],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['6h', 6 * 3_600_000],
  ['24h', 24 * 3_600_000],
];

export function TimelineView({ route }: { readonly route: Route }) {
  // Drawn once a second, as the time passes: drawing it for every event would keep the browser busy.
  const store = useStore(({ begins, link }) => [begins, link]);
  const now = useNow();
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => onMove((move) => move === 'search' && field.current?.focus()), []);
  const { span = 'fit', from, to, q = '' } = route.query;
  const isDrawn = store.events.length > 0;
  // On a small screen the drawing is wider than its box: the newest events are at its end.
  useEffect(() => box.current?.scrollTo(9_999, 0), [isDrawn]);
  const range = rangeOf(span, from, to, now, store.events[0]?.at);
  const isZoomed = from !== undefined && to !== undefined;
  const older = useOlder(range, store.events, isZoomed);
  const events = [...older, ...store.events].filter((event) => isMeant(event, q, range));
  const set = (query: Route['query']): void => goTo({ ...route, query });
  const download = (): void => {
    const drawing = box.current?.querySelector<SVGSVGElement>('svg.lanes');
    if (!drawing) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([svgText(drawing)], { type: 'image/svg+xml' }));
    link.download = 'reloader-timeline.svg';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div class="timeline">
      <h1 class="hidden">Timeline</h1>
      <div class="filters">
        <fieldset class="chips">
          <legend class="hidden">How far back</legend>
          {SPANS.map(([name]) => (
            <button
              type="button"
              class="chip"
              key={name}
              aria-pressed={!isZoomed && span === name}
              onClick={() => set({ span: name, q })}
            >
              {name === 'fit' ? 'All' : name}
            </button>
          ))}
          {isZoomed && (
            <button type="button" class="chip" aria-pressed="true" onClick={() => set({ span, q })}>
              {dayText(range.from)}–{dayText(range.to)} <span aria-hidden="true">×</span>
              <span class="hidden">: leave this range</span>
            </button>
          )}
        </fieldset>
        <Search route={route} field={field} label="Filter by name" />
        <button type="button" onClick={download}>
          Save as SVG
        </button>
      </div>
      <Card title={plural(events.length, 'event')} aside={<Legend />}>
        {events.length === 0 ? (
          <Empty title="Nothing happened in this time">
            <p>
              History begins at {store.begins === '' ? 'the start of the operator' : dayText(store.begins)}.
            </p>
          </Empty>
        ) : (
          <div class="scroll" ref={box}>
            <Lanes
              events={events}
              range={range}
              now={now}
              onZoom={(zoom) =>
                set({ span, q, from: String(Math.round(zoom.from)), to: String(Math.round(zoom.to)) })
              }
            />
          </div>
        )}
      </Card>
      <Card title="As a list">
        <Lately events={events} begins={store.begins} />
      </Card>
    </div>
  );
}

function rangeOf(
  span: string,
  from: string | undefined,
  to: string | undefined,
  now: number,
  first: string | undefined,
): Range {
  const [a, b] = [Number(from), Number(to)];
  if (from !== undefined && to !== undefined && b > a) return { from: a, to: b };
  const known = first === undefined ? 0 : (now - Date.parse(first)) * 1.08;
  const fit = Math.min(FIT_MS.most, Math.max(FIT_MS.least, known));
  const ms = SPANS.find(([name]) => name === span)?.[1] || fit;
  return { from: now - ms, to: now };
}

/** Events from before those that this page received itself. */
function useOlder(range: Range, seen: readonly TimelineEvent[], isZoomed: boolean): readonly TimelineEvent[] {
  const first = seen[0];
  const isNeeded = first !== undefined && Date.parse(first.at) > range.from;
  const minute = isZoomed ? 0 : Math.floor(range.from / 60_000);
  const since = new Date(isZoomed ? range.from : minute * 60_000).toISOString();
  const path = isNeeded ? `timeline?limit=5000&since=${since}&until=${first.at}` : undefined;
  return useAnswer<TimelineAnswer>(path, minute).value?.events ?? [];
}

function isMeant({ workload, source, causes = [], at }: TimelineEvent, q: string, range: Range): boolean {
  const time = Date.parse(at);
  // A wait or rollout that began earlier may reach into the range.
  if (time > range.to || time < range.from - 24 * 3_600_000) return false;
  if (time < range.from && source) return false;
  const names = [workload, source, ...causes].map((each) => (each ? `${each.namespace}/${each.name}` : ''));
  return q === '' || names.join(' ').toLowerCase().includes(q.toLowerCase());
}

function Legend() {
  return (
    <ul class="legend">
      <li class="change">change</li>
      <li class="wait">waits</li>
      <li class="frozen">frozen</li>
      <li class="rolling">rolls out</li>
      <li class="succeeded">rolled out</li>
      <li class="failed">failed</li>
    </ul>
  );
}
