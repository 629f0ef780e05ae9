/**
 * Forty workloads that together use every common way to opt in, and four that do not opt in.
 *
 * Pure: the same size gives the same fleet. Which source concerns which workload is written down here and not derived
 * from the operator, so that the judge does not share its mistakes.
 */

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';
export type SourceKind = 'ConfigMap' | 'Secret';
export type OptIn =
  | 'auto'
  | 'typed-auto'
  | 'named'
  | 'search'
  | 'config'
  | 'config-annotations'
  | 'both'
  | 'none';
export type Use = 'env-from' | 'volume' | 'env-key' | 'projected';

export interface Source {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
  /** Changed again before earlier changes are rolled out: several of them may become one rollout. */
  readonly hasty: boolean;
}

export interface Workload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly optIn: OptIn;
  readonly use: Use;
  readonly sources: readonly Source[];
}

export interface Fleet {
  readonly namespaces: readonly string[];
  readonly workloads: readonly Workload[];
  /** Sources of opted-in workloads. */
  readonly sources: readonly Source[];
  /** Sources without an opted-in workload. */
  readonly idleSources: readonly Source[];
}

const NAMESPACES = ['kills-a', 'kills-b', 'kills-c', 'kills-d'];
const OPT_INS: readonly OptIn[] = [
  'auto',
  'named',
  'config',
  'typed-auto',
  'search',
  'config-annotations',
  'both',
];
const USES: readonly Use[] = ['env-from', 'volume', 'env-key', 'projected'];
const BYSTANDERS = 4;

/** Without the custom resources, for operators that may not read them. */
export const BY_ANNOTATION: readonly OptIn[] = ['auto', 'named', 'typed-auto', 'search'];

export function fleetOf(size: number, optIns: readonly OptIn[] = OPT_INS): Fleet {
  const workloads: Workload[] = [];
  for (let index = 0; index < size; index++) {
    const namespace = NAMESPACES[Math.floor(index / 2) % NAMESPACES.length] as string;
    // Both of a pair are in one namespace; in every fifth pair they share a source.
    const partner = index % 10 === 1 ? workloads[index - 1] : undefined;
    workloads.push({
      kind: kindOf(index, size),
      namespace,
      name: `app-${index}`,
      replicas: 1 + (index % 2),
      optIn: optIns[index % optIns.length] as OptIn,
      use: USES[index % USES.length] as Use,
      sources: partner?.sources ?? sourcesOf(index, namespace),
    });
  }
  const idle = Array.from({ length: BYSTANDERS }, (_, index): Workload => {
    const namespace = NAMESPACES[index % NAMESPACES.length] as string;
    const source = { kind: sourceKind(index), namespace, name: `idle-${index}`, hasty: true };
    const use = USES[index % USES.length] as Use;
    return {
      kind: 'Deployment',
      namespace,
      name: `bystander-${index}`,
      replicas: 1,
      optIn: 'none',
      use,
      sources: [source],
    };
  });
  return {
    namespaces: NAMESPACES,
    workloads: [...workloads, ...idle],
    sources: [...new Set(workloads.flatMap(({ sources }) => sources))],
    idleSources: idle.flatMap(({ sources }) => sources),
  };
}

export const sourceId = ({ kind, namespace, name }: Source): string => `${kind}/${namespace}/${name}`;
export const workloadId = ({ kind, namespace, name }: Workload): string => `${kind}/${namespace}/${name}`;

/** Of ten: six Deployments, two StatefulSets and two DaemonSets. */
function kindOf(index: number, size: number): WorkloadKind {
  const place = (index * 10) / size;
  if (place < 6) return 'Deployment';
  return place < 8 ? 'StatefulSet' : 'DaemonSet';
}

const sourceKind = (index: number): SourceKind => (index % 2 === 0 ? 'ConfigMap' : 'Secret');

/** Every tenth workload has one source of each kind, the sources of every fifth are hasty. */
function sourcesOf(index: number, namespace: string): Source[] {
  const hasty = index % 5 === 4;
  const first = { kind: sourceKind(index), namespace, name: `source-${index}`, hasty };
  if (index % 10 !== 5) return [first];
  return [first, { kind: sourceKind(index + 1), namespace, name: `other-${index}`, hasty }];
}
