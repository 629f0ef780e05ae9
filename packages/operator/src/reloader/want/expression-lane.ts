/**
 * Evaluates expensive expressions before the pass over a workload needs them, a millisecond at a time, so that they do
 * not block other workloads.
 *
 * In: a workload whose pass is about to start. Out: whether it can start now; if not, `wake` is called when it can.
 * Guarantees: cheap expressions, which are nearly all that users write, are ready at once and cost no turn of the event
 * loop; namespaces take turns, each with one workload at a time, because evaluating an expression takes memory. No
 * decision depends on it: the pass itself evaluates whatever was not evaluated before.
 */
import type { ReloaderSettings } from '../model/settings.ts';
import { SOURCE_KINDS, type SourceKind } from '../model/source.ts';
import { type WorkloadFacts, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { NamedList } from './named-list.ts';
import { listFor } from './opt-in.ts';

export interface ExpressionLaneOptions {
  readonly world: Pick<World, 'namespace' | 'sourcesIn'>;
  readonly settings: Pick<ReloaderSettings, 'names' | 'namespaceDefaults'>;
  readonly wake: (key: string) => void;
  /** Schedules the next piece; default: in the next turn of the event loop. */
  readonly later?: (run: () => void) => void;
}

/** In matching steps: a few milliseconds. */
const CHEAP = 60_000;

export class ExpressionLane {
  readonly #options: Required<ExpressionLaneOptions>;
  readonly #open = new Set<string>();
  /** Work by namespace, in the order of their turns; within a namespace in the order of arrival. */
  readonly #waiting = new Map<string, Work[]>();

  constructor(options: ExpressionLaneOptions) {
    this.#options = { later: (run) => void setImmediate(run), ...options };
  }

  isReady(workload: WorkloadFacts): boolean {
    const lists = [...this.#listsOf(workload)];
    if (lists.length === 0) return true;
    const { namespace } = workload.metadata;
    const key = workloadKey({ kind: workload.kind, namespace, name: workload.metadata.name });
    if (this.#open.has(key)) return false;
    let cost = 0;
    for (const { kind, list } of lists) cost += list.costOf(this.#names(namespace, kind), CHEAP);
    if (cost <= CHEAP) return true;
    this.#open.add(key);
    const work = { key, pieces: this.#piecesOf(lists, namespace) };
    const own = this.#waiting.get(namespace);
    if (own) own.push(work);
    else this.#waiting.set(namespace, [work]);
    if (this.#open.size === 1) this.#options.later(() => this.#turn());
    return false;
  }

  *#listsOf({ annotations, templateAnnotations, metadata }: WorkloadFacts): Generator<Listed> {
    const { world, settings } = this.#options;
    const namespace = settings.namespaceDefaults
      ? world.namespace(metadata.namespace)?.annotations
      : undefined;
    const places = { workload: annotations, template: templateAnnotations, ...(namespace && { namespace }) };
    for (const kind of SOURCE_KINDS) {
      const list = listFor(places, kind, settings.names);
      if (list.hasPatterns) yield { kind, list };
    }
  }

  *#names(namespace: string, kind: SourceKind): Generator<string> {
    for (const { metadata } of this.#options.world.sourcesIn(namespace, kind)) yield metadata.name;
  }

  *#piecesOf(lists: readonly Listed[], namespace: string): Generator<void> {
    for (const { kind, list } of lists) yield* list.learn(this.#names(namespace, kind));
  }

  /** Runs one piece for the namespace that has waited longest. */
  #turn(): void {
    const [next] = this.#waiting;
    if (!next) return;
    const [namespace, own] = next;
    const [work] = own;
    this.#waiting.delete(namespace);
    const isDone = work?.pieces.next().done ?? true;
    if (isDone) own.shift();
    if (own.length > 0) this.#waiting.set(namespace, own);
    if (work && isDone) {
      this.#open.delete(work.key);
      this.#options.wake(work.key);
    }
    if (this.#open.size > 0) this.#options.later(() => this.#turn());
  }
}

interface Work {
  readonly key: string;
  readonly pieces: Iterator<void>;
}

interface Listed {
  readonly kind: SourceKind;
  readonly list: NamedList;
}
