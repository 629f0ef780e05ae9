/**
 * Works off what expressions cost before the pass over a workload asks them, a millisecond at a time, so that nobody
 * else waits for it.
 *
 * In: a workload that is about to be looked at. Out: whether it can be looked at now; if not, it is woken when it can.
 * Guarantees: everything cheap, which is nearly everything that people write, is ready at once and costs no turn of the
 * event loop; namespaces take turns, each with one workload at a time, because an expression that is being asked takes
 * memory. It changes no decision: what was not worked off is asked by the pass itself.
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
  /** When the next piece may run; the next turn of the event loop unless given. */
  readonly later?: (run: () => void) => void;
}

/** In steps of an expression: a few milliseconds. */
const CHEAP = 60_000;

export class ExpressionLane {
  readonly #options: Required<ExpressionLaneOptions>;
  readonly #open = new Set<string>();
  /** Of each namespace in the order of their turns, and within each in the order of their coming. */
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

  /** A piece of whoever waits the longest. */
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
