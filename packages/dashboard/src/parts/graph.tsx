// biome-ignore-all lint/a11y/useSemanticElements: a drawing with links in it is a group
/**
 * The sources of a workload as a graph: watched sources lead to the workload, the others stand beside it with the
 * reason.
 */
import type { Explanation } from '@reloader/operator/api';
import { linkTo } from '../data/hooks.ts';
import { nameOf } from '../data/words.ts';

const WIDTH = 900;
const ROW = 62;
const BOX = { width: 380, height: 50 } as const;

interface Node {
  readonly key: string;
  readonly href: string;
  readonly kind: string;
  readonly name: string;
  readonly note: string;
  readonly tone: 'changed' | 'same' | 'absent' | 'off';
}

const NOTES: Readonly<Record<string, string>> = {
  unchanged: 'as at the last rollout',
  adopted: 'taken as it is',
  absent: 'does not exist',
  'still-gone': 'does not exist',
  created: 'created since',
  changed: 'changed since the last rollout',
  deleted: 'deleted since',
  recreated: 'created again, with other content',
  restored: 'created again, as it was',
  rescoped: 'other keys count than before',
  rekeyed: 'recorded again',
  'opted-out': 'no longer asked for',
  unknown: 'cannot be compared',
};

function nodesOf({ sources, notWatched }: Explanation): readonly Node[] {
  const watched = sources.map((source): Node => {
    const keys = source.keys ? ` · keys ${source.keys.join(', ')}` : '';
    return {
      key: nameOf(source),
      href: linkTo('source', source),
      kind: source.kind,
      name: source.name,
      note: (NOTES[source.comparison] ?? source.comparison) + keys,
      tone: source.reload ? 'changed' : source.exists === 'yes' ? 'same' : 'absent',
    };
  });
  const others = notWatched.map(
    (source): Node => ({
      key: nameOf(source),
      href: linkTo('source', source),
      kind: source.kind,
      name: source.name,
      note: 'not watched',
      tone: 'off',
    }),
  );
  return [...watched, ...others];
}

/** Shortens a text so that it fits its box. */
function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

export function SourceGraph({ answer }: { readonly answer: Explanation }) {
  const nodes = nodesOf(answer);
  const height = Math.max(1, nodes.length) * ROW + 8;
  const middle = height / 2;
  const { kind, name } = answer.workload;
  const end = WIDTH - 250;
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="group"
      aria-label={`${answer.sources.length} sources lead to ${kind} ${name}`}
    >
      {nodes.map(({ key, tone }, at) => {
        if (tone === 'off') return null;
        const y = at * ROW + 4 + BOX.height / 2;
        const bend = (BOX.width + end) / 2;
        return (
          <path
            key={key}
            class={`edge ${tone}`}
            d={`M${BOX.width} ${y}C${bend} ${y} ${bend} ${middle} ${end} ${middle}`}
          />
        );
      })}
      {nodes.map(({ key, href, kind: what, name: called, note, tone }, at) => (
        <a key={key} href={href} class={`node ${tone}`}>
          <title>{key}</title>
          <rect x="1" y={at * ROW + 4} width={BOX.width - 1} height={BOX.height} rx="9" />
          <text x="16" y={at * ROW + 25}>
            <tspan class="kind">{what}</tspan> <tspan class="name">{short(called, 39 - what.length)}</tspan>
          </text>
          <text x="16" y={at * ROW + 43} class="note">
            {short(note, 56)}
          </text>
        </a>
      ))}
      <g class="node target">
        <rect x={end} y={middle - 27} width={WIDTH - end - 1} height="54" rx="9" />
        <text x={end + 16} y={middle - 5}>
          <tspan class="kind">{kind}</tspan>
        </text>
        <text x={end + 16} y={middle + 15} class="name">
          {short(name, 25)}
        </text>
      </g>
    </svg>
  );
}
