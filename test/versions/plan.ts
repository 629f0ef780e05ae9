/** The versions of Kubernetes and Node that are tested, and the suites for each. Pure. */
import { olderKubernetes } from '../control-plane/modules.ts';

export const NEWEST = 'newest';

/** The oldest supported one first. */
export const KUBERNETES: readonly string[] = [...olderKubernetes, NEWEST];

/** Release lines of Node, each with the tested release. */
export const NODE: Readonly<Record<string, string>> = {
  20: '20.20.2',
  22: '22.23.3',
  24: '24.21.0',
  26: '26.10.0',
};

/** Suites on a control plane, by the paths of their files. */
export const SUITES: Readonly<Record<string, readonly string[]>> = {
  rows: ['test/reloader/rows', 'test/reloader/rules'],
  kills: ['test/kills'],
  chart: ['test/chart'],
  runtime: ['packages/runtime'],
  definitions: ['packages/operator/src/crds', 'packages/operator/src/admission', 'test/samples'],
};

export interface Choice {
  readonly kubernetes: readonly string[];
  readonly node: readonly string[];
  readonly suites: readonly string[];
}

export interface Flags {
  readonly kubernetes?: string | undefined;
  readonly node?: string | undefined;
  readonly suites?: string | undefined;
}

/** Everything unless a flag names some; naming only one of `kubernetes` and `node` leaves the other out. */
export function choose({ kubernetes, node, suites }: Flags): Choice {
  const all = kubernetes === undefined && node === undefined && suites === undefined;
  const onKubernetes = all || kubernetes !== undefined || suites !== undefined;
  return {
    kubernetes: onKubernetes ? picked('--kubernetes', kubernetes, KUBERNETES) : [],
    node: all || node !== undefined ? picked('--node', node, Object.keys(NODE)) : [],
    suites: picked('--suites', suites, Object.keys(SUITES)),
  };
}

function picked(flag: string, value: string | undefined, known: readonly string[]): string[] {
  if (value === undefined) return [...known];
  const names = value.split(',').filter((name) => name !== '');
  for (const name of names) {
    if (!known.includes(name)) throw new Error(`${flag}: ${name} is none of ${known.join(', ')}`);
  }
  if (names.length === 0) throw new Error(`${flag} names nothing: use some of ${known.join(', ')}`);
  return names;
}
