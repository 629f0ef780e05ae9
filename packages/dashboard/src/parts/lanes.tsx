// biome-ignore-all lint/a11y/useSemanticElements: a drawing with links in it is a group
/** The timeline as a drawing: lanes, or a histogram if there are too many events. A drag zooms in. */
import type { TimelineEvent } from '@reloader/operator/api';
import { useRef, useState } from 'preact/hooks';
import { linkTo } from '../data/hooks.ts';
import { bucketsOf, type Lane, lanesOf, ticksOf } from '../data/lanes.ts';
import { clockText, dateText, dayText, plural } from '../data/words.ts';

const WIDTH = 1200;
const LEFT = 250;
const LANE = 26;
const TOP = 28;
const MOST_LANES = 40;
/** With more marks than this, a histogram is drawn. */
const MOST_MARKS = 300;
const PIECES = 60;

export interface Range {
  readonly from: number;
  readonly to: number;
}

interface Props {
  readonly events: readonly TimelineEvent[];
  readonly range: Range;
  readonly now: number;
  readonly onZoom: (range: Range) => void;
}

export function Lanes({ events, range, now, onZoom }: Props) {
  const drawing = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<Range | undefined>(undefined);
  const { from, to } = range;
  const lanes = lanesOf(events, from, to, now);
  const marks = lanes.reduce((sum, { bars }) => sum + bars.length, 0);
  const shown = lanes.slice(0, MOST_LANES);
  const isHistogram = marks > MOST_MARKS;
  const height = isHistogram ? 260 : TOP + Math.max(1, shown.length) * LANE + 8;
  const xOf = (time: number): number => LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT);
  const timeAt = (event: PointerEvent): number => {
    const box = drawing.current?.getBoundingClientRect();
    if (!box) return from;
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    return from + (Math.max(0, x - LEFT) / (WIDTH - LEFT)) * (to - from);
  };
  const finish = (): void => {
    if (drag) {
      const [a, b] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      if (b - a > (to - from) / 100) onZoom({ from: a, to: b });
    }
    setDrag(undefined);
  };
  return (
    <svg
      ref={drawing}
      class="lanes"
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="group"
      aria-label={`${plural(marks, 'mark')} between ${clockText(from)} and ${clockText(to)}; the list below tells the same`}
      onPointerDown={(event) => setDrag({ from: timeAt(event), to: timeAt(event) })}
      onPointerMove={(event) => drag && setDrag({ ...drag, to: timeAt(event) })}
      onPointerUp={finish}
      onPointerLeave={() => setDrag(undefined)}
    >
      <Axis range={range} xOf={xOf} height={height} />
      {isHistogram ? (
        <Histogram events={events} range={range} xOf={xOf} height={height} />
      ) : (
        shown.map((lane, at) => <OneLane key={lane.key} lane={lane} at={at} xOf={xOf} range={range} />)
      )}
      {drag && (
        <rect
          class="drag"
          x={xOf(Math.min(drag.from, drag.to))}
          y="0"
          width={Math.abs(xOf(drag.to) - xOf(drag.from))}
          height={height}
        />
      )}
    </svg>
  );
}

type XOf = (time: number) => number;

function Axis({ range, xOf, height }: { readonly range: Range; readonly xOf: XOf; readonly height: number }) {
  const ticks = ticksOf(range);
  return (
    <g class="axis">
      <text x="4" y="13">
        {dateText(range.from)}
      </text>
      {ticks.map((time, at) => (
        <g key={at}>
          <line x1={xOf(time)} x2={xOf(time)} y1={TOP - 8} y2={height} />
          <text x={xOf(time)} y="13" text-anchor={xOf(time) > WIDTH - 40 ? 'end' : 'middle'}>
            {clockText(time)}
          </text>
        </g>
      ))}
    </g>
  );
}

interface LaneProps {
  readonly lane: Lane;
  readonly at: number;
  readonly xOf: XOf;
  readonly range: Range;
}

function OneLane({ lane: { workload, bars }, at, xOf, range }: LaneProps) {
  const y = TOP + at * LANE;
  const label = workload ? `${workload.namespace}/${workload.name}` : 'Secrets and ConfigMaps';
  const text = (
    <text class={workload ? 'label' : 'label sources'} x="4" y={y + 16}>
      {label.length > 34 ? `${label.slice(0, 33)}…` : label}
    </text>
  );
  return (
    <g class="lane">
      <line class="base" x1={LEFT} x2={WIDTH} y1={y + 11} y2={y + 11} />
      {workload ? <a href={linkTo('workload', workload)}>{text}</a> : text}
      {bars.map(({ from, to, tone, text: said }) => {
        const [start, end] = [xOf(Math.max(from, range.from)), xOf(Math.min(to, range.to))];
        return tone === 'change' ? (
          <path key={from + said} class="bar change" d={`M${start} ${y + 4}l6 7-6 7-6-7Z`}>
            <title>{said}</title>
          </path>
        ) : (
          <rect
            key={`${from}${said}${tone}`}
            class={`bar ${tone}`}
            x={start}
            y={y + 4}
            width={Math.max(5, end - start)}
            height="14"
            rx="4"
          >
            <title>{`${said}, ${dayText(from)} to ${dayText(to)}`}</title>
          </rect>
        );
      })}
    </g>
  );
}

function Histogram(props: {
  readonly events: readonly TimelineEvent[];
  readonly range: Range;
  readonly xOf: XOf;
  readonly height: number;
}) {
  const { events, range, xOf, height } = props;
  const buckets = bucketsOf(events, range.from, range.to, PIECES);
  const most = Math.max(1, ...buckets.map(({ changes, reloads, failures }) => changes + reloads + failures));
  const width = (WIDTH - LEFT) / PIECES - 2;
  const scale = (height - TOP - 10) / most;
  return (
    <g class="histogram">
      {(['reloads', 'changes', 'failures'] as const).map((what, at) => (
        <text key={what} class={`label legend ${what}`} x="4" y={TOP + 20 + at * 22}>
          {what}: {buckets.reduce((sum, bucket) => sum + bucket[what], 0).toLocaleString('en')}
        </text>
      ))}
      {buckets.map(({ from, changes, reloads, failures }) => {
        const heights = [failures, reloads, changes].map((count) => count * scale);
        let y = height - 4;
        return heights.map((each, at) => {
          y -= each;
          const tone = ['failed', 'succeeded', 'change'][at];
          return (
            <rect
              key={`${from} ${at}`}
              class={`bar ${tone}`}
              x={xOf(from) + 1}
              y={y}
              width={width}
              height={each}
            />
          );
        });
      })}
    </g>
  );
}

/** The drawing as an SVG file, with the current colours on the page's ground. */
export function svgText(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(WIDTH));
  const [from, to] = [drawing.querySelectorAll('*'), copy.querySelectorAll('*')];
  from.forEach((element, at) => {
    const { fill, stroke, strokeWidth, fontSize, fontFamily, fontWeight } = getComputedStyle(element);
    const given = { fill, stroke, 'stroke-width': strokeWidth, 'font-size': fontSize };
    const font = { 'font-family': fontFamily, 'font-weight': fontWeight };
    for (const [name, value] of Object.entries({ ...given, ...font })) to[at]?.setAttribute(name, value);
    // Links lead into this session and hold its key; the file is for others.
    to[at]?.removeAttribute('href');
  });
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const { backgroundColor } = getComputedStyle(document.body);
  for (const [name, value] of [
    ['width', '100%'],
    ['height', '100%'],
    ['fill', backgroundColor],
  ] as const)
    ground.setAttribute(name, value);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}
