/**
 * The kubelet: starts and stops the containers of bound pods, and reports their status.
 *
 * A pod's runtime state is kept here, not in its status: when it was bound, when its container last started and how
 * often it crashed. All steps happen on the clock; nothing really runs.
 */
import type { Clock } from '@reloader/runtime';
import type { PodBehaviour } from '../../model/behaviour.ts';
import type { LocalApi } from '../../model/local-api.ts';
import { PODS } from '../kind-refs.ts';
import { writeStatus } from '../status-writer.ts';
import type { Pod } from '../types.ts';
import { type Behaviours, DEFAULT_BEHAVIOUR } from './behaviour.ts';
import { missingReference } from './references.ts';
import { type Happening, podStatus } from './status.ts';

interface Life {
  /** When the current step began. */
  since: number;
  stage: 'starting' | 'running' | 'ready' | 'backoff' | 'done';
  restarts: number;
  /** Fixed at container start: the configuration it read. */
  behaviour: PodBehaviour;
  readonly podIP: string;
}

const CRASH_AFTER_MS = 100;
const MISSING_RETRY_MS = 1_000;
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;

export class Kubelet {
  readonly #api: LocalApi;
  readonly #clock: Clock;
  readonly #behaviours: Behaviours;
  readonly #lives = new Map<string, Life>();
  readonly #nextNumber: () => number;

  constructor(api: LocalApi, clock: Clock, behaviours: Behaviours, nextNumber: () => number) {
    this.#api = api;
    this.#clock = clock;
    this.#behaviours = behaviours;
    this.#nextNumber = nextNumber;
  }

  forget(uid: string): void {
    this.#lives.delete(uid);
  }

  #begin(pod: Pod): Life {
    const number = this.#nextNumber();
    const podIP = `10.244.${Math.floor(number / 250) % 250}.${(number % 250) + 1}`;
    const life: Life = {
      since: this.#clock.monotonic(),
      stage: 'starting',
      restarts: 0,
      behaviour: this.#behaviours.of(pod),
      podIP,
    };
    this.#lives.set(pod.metadata.uid, life);
    return life;
  }

  /** Advances the pod if it is due; returns when to check again. */
  live(pod: Pod): number | undefined {
    const life = this.#lives.get(pod.metadata.uid) ?? this.#begin(pod);
    const age = this.#clock.monotonic() - life.since;
    switch (life.stage) {
      case 'starting':
        return this.#starting(pod, life, age);
      case 'running':
        return this.#running(pod, life, age);
      case 'backoff': {
        const wait = Math.min(FIRST_BACKOFF_MS * 2 ** (life.restarts - 1), LONGEST_BACKOFF_MS);
        return age < wait ? wait - age : this.#run(pod, life);
      }
      default:
        return undefined;
    }
  }

  #starting(pod: Pod, life: Life, age: number): number | undefined {
    const { startMs = DEFAULT_BEHAVIOUR.startMs, fault } = life.behaviour;
    if (age < startMs) {
      this.#report(pod, life, { phase: 'Pending', ready: false, container: waiting('ContainerCreating') });
      return startMs - age;
    }
    if (fault === 'image-pull-error') {
      const [container] = pod.spec.containers;
      const message = `Back-off pulling image "${container?.image ?? ''}"`;
      this.#report(pod, life, {
        phase: 'Pending',
        ready: false,
        container: waiting('ImagePullBackOff', message),
      });
      return undefined;
    }
    const missing = missingReference(this.#api, pod);
    if (missing) {
      const container =
        missing.where === 'env'
          ? waiting('CreateContainerConfigError', missing.message)
          : waiting('ContainerCreating');
      this.#report(pod, life, { phase: 'Pending', ready: false, container });
      return MISSING_RETRY_MS;
    }
    return this.#run(pod, life);
  }

  #run(pod: Pod, life: Life): number | undefined {
    life.behaviour = this.#behaviours.of(pod);
    this.#enter(life, 'running');
    this.#report(pod, life, { phase: 'Running', ready: false, container: { state: 'running' } });
    return 0;
  }

  #running(pod: Pod, life: Life, age: number): number | undefined {
    const { readyMs, runMs } = { ...DEFAULT_BEHAVIOUR, ...life.behaviour };
    const { fault } = life.behaviour;
    if (fault === 'crash') return age < CRASH_AFTER_MS ? CRASH_AFTER_MS - age : this.#exit(pod, life, 1);
    if (runsToEnd(pod)) return age < runMs ? runMs - age : this.#exit(pod, life, fault === 'fail' ? 1 : 0);
    if (fault === 'never-ready') return undefined;
    if (age < readyMs) return readyMs - age;
    this.#enter(life, 'ready');
    this.#report(pod, life, { phase: 'Running', ready: true, container: { state: 'running' } });
    return undefined;
  }

  #exit(pod: Pod, life: Life, exitCode: number): number | undefined {
    const { restartPolicy = 'Always' } = pod.spec;
    const container = { state: 'terminated', exitCode } as const;
    if (restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && exitCode === 0)) {
      this.#enter(life, 'done');
      this.#report(pod, life, { phase: exitCode === 0 ? 'Succeeded' : 'Failed', ready: false, container });
      return undefined;
    }
    this.#enter(life, 'backoff');
    this.#report(pod, life, { phase: 'Running', ready: false, container });
    life.restarts += 1;
    const live = this.#api.get(PODS, pod.metadata) as Pod;
    this.#report(live, life, { phase: 'Running', ready: false, container: waiting('CrashLoopBackOff') });
    return Math.min(FIRST_BACKOFF_MS * 2 ** (life.restarts - 1), LONGEST_BACKOFF_MS);
  }

  /** A terminating pod is removed after its stop time, at the latest after its grace period. */
  stop(pod: Pod): number | undefined {
    const due = Date.parse(pod.metadata.deletionTimestamp ?? '');
    const grace = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    const { stopMs = DEFAULT_BEHAVIOUR.stopMs } = this.#behaviours.of(pod);
    // The deletion timestamp is the end of the grace period, in whole seconds.
    const left = pod.spec.nodeName ? Math.min(due - grace + stopMs, due) - this.#clock.now() : 0;
    if (left > 0) return left;
    this.#api.delete(
      PODS,
      pod.metadata,
      { uid: pod.metadata.uid, gracePeriodSeconds: 0 },
      `system:node:${pod.spec.nodeName}`,
    );
    return undefined;
  }

  #report(pod: Pod, life: Life, happening: Omit<Happening, 'restarts' | 'hostIP' | 'podIP'>): void {
    const started = happening.phase !== 'Pending';
    const full: Happening = {
      ...happening,
      restarts: life.restarts,
      hostIP: '10.0.1.1',
      ...(started && { podIP: life.podIP }),
    };
    writeStatus(
      this.#api,
      PODS,
      pod,
      podStatus(pod, full, this.#clock.now()),
      `system:node:${pod.spec.nodeName}`,
    );
  }

  #enter(life: Life, stage: Life['stage']): void {
    life.stage = stage;
    life.since = this.#clock.monotonic();
  }
}

const waiting = (reason: string, message?: string): Happening['container'] => ({
  state: 'waiting',
  reason,
  ...(message && { message }),
});

/** Containers of Jobs terminate; all others run until they are stopped. */
function runsToEnd(pod: Pod): boolean {
  const { restartPolicy } = pod.spec;
  return restartPolicy === 'Never' || restartPolicy === 'OnFailure';
}
