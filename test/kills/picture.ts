/** A picture of a long run: each change as a point, by its time and the time until all pods had it; kills as lines. */
import { readFileSync } from 'node:fs';
import { type Reached, summaryOf, type Victim } from './reach.ts';

export interface Panel {
  readonly name: string;
  readonly reach: Reached;
}

const STYLE_OF = new URL('../../docs/images/overview.svg', import.meta.url);
const WIDTH = 860;
const LEFT = 64;
const RIGHT = 24;
const PLOT = 170;
const PANEL = PLOT + 76;
/** Seconds. */
const TICKS = [0.1, 1, 10, 60];
const LOWEST = 0.03;
const HIGHEST = 120;
const HEIGHT_OF: Readonly<Record<Victim, number>> = { operator: 6, server: 12, etcd: 18 };

export function pictureOf(panels: readonly Panel[], date: string): string {
  const style = /<style>[\s\S]*?<\/style>/.exec(readFileSync(STYLE_OF, 'utf8'))?.[0] ?? '';
  const all = panels.flatMap(({ reach }) => reach.spans);
  const { count, p50, p99, max } = summaryOf(all);
  const label = `How long ${count} changes took to reach all pods while operators, API server and etcd were killed: half of them ${seconds(p50)}, 99 of 100 ${seconds(p99)}, the longest ${seconds(max)}`;
  const height = 60 + panels.length * PANEL;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
${style}
<rect class="bg" width="${WIDTH}" height="${height}"/>
<text class="t" x="${LEFT}" y="24" font-weight="600">From a change to all pods, while things are killed</text>
<text class="s" x="${LEFT}" y="44">${date}; each point is a change; short lines: operator killed, longer: API server, longest: etcd</text>
${panels.map((panel, index) => panelOf(panel, 60 + index * PANEL)).join('\n')}
</svg>
`;
}

function panelOf({ name, reach }: Panel, top: number): string {
  const { spans, kills } = reach;
  const { count, p50, p99, max } = summaryOf(spans);
  const end = Math.max(1, ...spans.map(({ at }) => at), ...kills.map(({ at }) => at));
  const bottom = top + 24 + PLOT;
  const x = (at: number): string => (LEFT + (at / end) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (ms: number): string => {
    const s = Math.min(HIGHEST, Math.max(LOWEST, ms / 1000));
    return (bottom - (Math.log(s / LOWEST) / Math.log(HIGHEST / LOWEST)) * PLOT).toFixed(1);
  };
  const grid = TICKS.map(
    (tick) =>
      `<path class="line" d="M${LEFT} ${y(tick * 1000)}H${WIDTH - RIGHT}" opacity="0.25"/><text class="s" x="16" y="${Number(y(tick * 1000)) + 4}">${tick} s</text>`,
  ).join('');
  const points = spans.map(({ at, ms }) => `M${x(at)} ${y(ms)}h0`).join('');
  const lines = kills.map(({ at, victim }) => `M${x(at)} ${bottom}v-${HEIGHT_OF[victim]}`).join('');
  const killed = (victim: Victim): number => kills.filter((kill) => kill.victim === victim).length;
  return `<text class="s" x="${LEFT}" y="${top + 12}">${name}: ${count} changes, half ${seconds(p50)}, 99 of 100 ${seconds(p99)}, longest ${seconds(max)}</text>
${grid}
<path class="line" d="${lines}"/>
<path class="line" style="stroke-width: 3px; stroke-linecap: round" opacity="0.5" d="${points}"/>
<text class="s" x="${LEFT}" y="${bottom + 20}">${killed('operator')} kills of an operator, ${killed('server')} of the API server, ${killed('etcd')} of etcd, in ${Math.round(end / 60_000)} min</text>`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
