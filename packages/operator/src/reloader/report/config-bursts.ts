/**
 * Combines reloads in quick succession to one Event on the ReloaderConfig that asked for them.
 *
 * In: each reload. Out: one Event for each burst, a second after its last reload and at most ten after its first, that
 * names the workloads and their number. Guarantees: each reload is in exactly one Event. If a config has reached the
 * rate limit of Events for one object, the burst goes on until another Event is allowed. When the process stops, open
 * bursts are reported at once. After a crash, the statuses still have the counts.
 */
import type { Clock, Runnable, Timer } from '@reloader/runtime';
import type { SourceRef } from '../model/source.ts';
import { type WorkloadRef, workloadKey } from '../model/workload.ts';

export interface BurstReload {
  readonly workload: WorkloadRef;
  readonly causes: readonly SourceRef[];
}

interface Burst {
  readonly startedAt: number;
  readonly reloads: BurstReload[];
  timer: Timer | undefined;
}

const QUIET_MS = 1_000;
const LONGEST_MS = 10_000;
/** Below a recorder's limit for one object (25 Events, then one each five minutes), to leave room for other Events. */
const MOST_AT_ONCE = 15;
const REFILL_MS = 300_000;
/** The message of an Event has at most 1,024 bytes. */
const LONGEST_TEXT = 900;

export class ConfigBursts implements Runnable {
  readonly name = 'Events on ReloaderConfigs';
  readonly #clock: Clock;
  readonly #tell: (config: string, message: string) => void;
  readonly #bursts = new Map<string, Burst>();
  /** By config with recent Events: how many more it may have, and as of when. */
  readonly #budgets = new Map<string, { readonly left: number; readonly at: number }>();

  constructor(clock: Clock, tell: (config: string, message: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** For the config `namespace/name`. */
  add(config: string, reload: BurstReload): void {
    const now = this.#clock.monotonic();
    const burst = this.#bursts.get(config) ?? { startedAt: now, reloads: [], timer: undefined };
    this.#bursts.set(config, burst);
    burst.reloads.push(reload);
    const due = Math.min(now + QUIET_MS, burst.startedAt + LONGEST_MS);
    this.#setTimer(config, burst, Math.max(due, this.#freeAt(config)) - now);
  }

  async start({ stopping }: { readonly stopping: AbortSignal }): Promise<void> {
    if (!stopping.aborted) {
      await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
    }
    for (const config of [...this.#bursts.keys()]) this.#flush(config);
  }

  #setTimer(config: string, burst: Burst, ms: number): void {
    burst.timer?.cancel();
    burst.timer = this.#clock.setTimeout(() => this.#flush(config), Math.max(0, ms));
    burst.timer.unref?.();
  }

  #flush(config: string): void {
    const burst = this.#bursts.get(config);
    if (!burst) return;
    burst.timer?.cancel();
    this.#bursts.delete(config);
    this.#spend(config);
    this.#tell(config, burstText(burst.reloads));
  }

  #budget(config: string): { readonly left: number; readonly at: number } {
    const now = this.#clock.monotonic();
    const known = this.#budgets.get(config);
    if (!known) return { left: MOST_AT_ONCE, at: now };
    const gained = Math.floor((now - known.at) / REFILL_MS);
    return { left: Math.min(MOST_AT_ONCE, known.left + gained), at: known.at + gained * REFILL_MS };
  }

  #freeAt(config: string): number {
    const { left, at } = this.#budget(config);
    return left > 0 ? 0 : at + REFILL_MS;
  }

  #spend(config: string): void {
    const { left, at } = this.#budget(config);
    this.#budgets.set(config, { left: Math.max(0, left - 1), at });
    for (const known of this.#budgets.keys())
      if (this.#budget(known).left === MOST_AT_ONCE) this.#budgets.delete(known);
  }
}

/** `3 workloads reloaded because of Secret shop/db: Deployment shop/api, Deployment shop/web, …` */
export function burstText(reloads: readonly BurstReload[]): string {
  const workloads = new Map(reloads.map(({ workload }) => [workloadKey(workload), nameOf(workload)]));
  const causes = new Map(
    reloads.flatMap(({ causes: each }) => each.map((ref) => [nameOf(ref), ref] as const)),
  );
  const because =
    causes.size === 0 ? 'an undone reload' : listed([...causes.keys()].sort(), LONGEST_TEXT / 3);
  const names = [...workloads.values()].sort();
  const [only = ''] = names;
  if (reloads.length === 1) return `Reloaded ${only} because of ${because}`;
  const count =
    workloads.size === 1
      ? `1 workload reloaded ${reloads.length} times`
      : `${workloads.size} workloads reloaded${reloads.length > workloads.size ? `, ${reloads.length} times together,` : ''}`;
  const head = `${count} because of ${because}: `;
  return head + listed(names, LONGEST_TEXT - head.length);
}

/** As many names as fit, and the number of the others. */
function listed(names: readonly string[], room: number): string {
  let text = '';
  for (const [index, name] of names.entries()) {
    const next = text === '' ? name : `${text}, ${name}`;
    if (Buffer.byteLength(next) > room && text !== '') return `${text} and ${names.length - index} more`;
    text = next;
  }
  return text;
}

const nameOf = ({ kind, namespace, name }: WorkloadRef | SourceRef): string => `${kind} ${namespace}/${name}`;
