/**
 * Scheduler and kubelet in one: binds pods to nodes, starts and stops their containers, and reports what happens.
 *
 * A pod's life is kept here, not in its status: when it was bound, when its container last started and how often it
 * crashed. All steps happen on the clock; nothing runs.
 */
import type { LocalEvent } from '../../api/local-api.ts';
import type { SimulatedController, Simulation } from '../controller.ts';
import { keyOf, refOf } from '../controller.ts';
import { NODES, PODS, sameKind } from '../kind-refs.ts';
import { isFinished } from '../pod-state.ts';
import { timestamp, withCondition, writeStatus } from '../status-writer.ts';
import type { Pod } from '../types.ts';
import { type Behaviours, DEFAULT_BEHAVIOUR, type PodBehaviour } from './behaviour.ts';
import { missingReference } from './references.ts';
import { type Happening, podStatus } from './status.ts';

interface Life {
  /** When the step that the pod is in began. */
  since: number;
  stage: 'starting' | 'running' | 'ready' | 'backoff' | 'done';
  restarts: number;
  /** Fixed when the container starts: the configuration it read. */
  behaviour: PodBehaviour;
  readonly podIP: string;
}

const CRASH_AFTER_MS = 100;
const MISSING_RETRY_MS = 1_000;
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;

export function podController({ api, clock }: Simulation, behaviours: Behaviours): SimulatedController {
  const lives = new Map<string, Life>();
  let addresses = 0;

  function* keysFor({ type, kind, object }: LocalEvent): Iterable<string> {
    if (sameKind(kind, PODS)) {
      if (type === 'DELETED') lives.delete(object.metadata.uid);
      else yield keyOf(object);
    } else if (sameKind(kind, NODES)) {
      for (const pod of api.list(PODS) as Pod[]) if (!pod.spec.nodeName) yield keyOf(pod);
    }
  }

  function sync(key: string): number | undefined {
    const pod = api.get(PODS, refOf(key)) as Pod | undefined;
    if (!pod) return undefined;
    if (pod.metadata.deletionTimestamp) return stop(pod);
    if (!pod.spec.nodeName) return schedule(pod);
    if (isFinished(pod)) return undefined;
    return live(pod, lives.get(pod.metadata.uid) ?? begin(pod));
  }

  function schedule(pod: Pod): number | undefined {
    const wanted = Object.entries(pod.spec.nodeSelector ?? {});
    const nodes = api.list(NODES).filter(({ metadata, spec }) => {
      const cordoned = (spec as { unschedulable?: boolean } | undefined)?.unschedulable === true;
      return !cordoned && wanted.every(([label, value]) => metadata.labels?.[label] === value);
    });
    const node = nodes[addresses++ % Math.max(1, nodes.length)];
    if (node) {
      api.bindPod(pod.metadata, node.metadata.name);
      return undefined;
    }
    const all = api.list(NODES).length;
    const message = `0/${all} nodes are available: no node matches the pod.`;
    const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    const conditions = withCondition(pod.status?.conditions, unschedulable, timestamp(clock.now()));
    writeStatus(api, PODS, pod, { ...pod.status, conditions }, 'system:kube-scheduler');
    return undefined;
  }

  function begin(pod: Pod): Life {
    addresses += 1;
    const podIP = `10.244.${Math.floor(addresses / 250) % 250}.${(addresses % 250) + 1}`;
    const life: Life = {
      since: clock.monotonic(),
      stage: 'starting',
      restarts: 0,
      behaviour: behaviours.of(pod),
      podIP,
    };
    lives.set(pod.metadata.uid, life);
    return life;
  }

  /** Moves the pod on if its time has come; says when to look again. */
  function live(pod: Pod, life: Life): number | undefined {
    const age = clock.monotonic() - life.since;
    switch (life.stage) {
      case 'starting':
        return starting(pod, life, age);
      case 'running':
        return running(pod, life, age);
      case 'backoff': {
        const wait = Math.min(FIRST_BACKOFF_MS * 2 ** (life.restarts - 1), LONGEST_BACKOFF_MS);
        return age < wait ? wait - age : run(pod, life);
      }
      default:
        return undefined;
    }
  }

  function starting(pod: Pod, life: Life, age: number): number | undefined {
    const { startMs = DEFAULT_BEHAVIOUR.startMs, fault } = life.behaviour;
    if (age < startMs) {
      report(pod, life, { phase: 'Pending', ready: false, container: waiting('ContainerCreating') });
      return startMs - age;
    }
    if (fault === 'image-pull-error') {
      const [container] = pod.spec.containers;
      const message = `Back-off pulling image "${container?.image ?? ''}"`;
      report(pod, life, { phase: 'Pending', ready: false, container: waiting('ImagePullBackOff', message) });
      return undefined;
    }
    const missing = missingReference(api, pod);
    if (missing) {
      const container =
        missing.where === 'env'
          ? waiting('CreateContainerConfigError', missing.message)
          : waiting('ContainerCreating');
      report(pod, life, { phase: 'Pending', ready: false, container });
      return MISSING_RETRY_MS;
    }
    return run(pod, life);
  }

  function run(pod: Pod, life: Life): number | undefined {
    life.behaviour = behaviours.of(pod);
    enter(life, 'running');
    report(pod, life, { phase: 'Running', ready: false, container: { state: 'running' } });
    return 0;
  }

  function running(pod: Pod, life: Life, age: number): number | undefined {
    const { readyMs, runMs } = { ...DEFAULT_BEHAVIOUR, ...life.behaviour };
    const { fault } = life.behaviour;
    if (fault === 'crash') return age < CRASH_AFTER_MS ? CRASH_AFTER_MS - age : exit(pod, life, 1);
    if (runsToEnd(pod)) return age < runMs ? runMs - age : exit(pod, life, fault === 'fail' ? 1 : 0);
    if (fault === 'never-ready') return undefined;
    if (age < readyMs) return readyMs - age;
    enter(life, 'ready');
    report(pod, life, { phase: 'Running', ready: true, container: { state: 'running' } });
    return undefined;
  }

  function exit(pod: Pod, life: Life, exitCode: number): number | undefined {
    const { restartPolicy = 'Always' } = pod.spec;
    const container = { state: 'terminated', exitCode } as const;
    if (restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && exitCode === 0)) {
      enter(life, 'done');
      report(pod, life, { phase: exitCode === 0 ? 'Succeeded' : 'Failed', ready: false, container });
      return undefined;
    }
    enter(life, 'backoff');
    report(pod, life, { phase: 'Running', ready: false, container });
    life.restarts += 1;
    const live = api.get(PODS, pod.metadata) as Pod;
    report(live, life, { phase: 'Running', ready: false, container: waiting('CrashLoopBackOff') });
    return Math.min(FIRST_BACKOFF_MS * 2 ** (life.restarts - 1), LONGEST_BACKOFF_MS);
  }

  /** A terminating pod goes after its stop time, at the latest after its grace period. */
  function stop(pod: Pod): number | undefined {
    const due = Date.parse(pod.metadata.deletionTimestamp ?? '');
    const grace = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    const { stopMs = DEFAULT_BEHAVIOUR.stopMs } = behaviours.of(pod);
    // The deletion timestamp is the end of the grace period, in whole seconds.
    const left = pod.spec.nodeName ? Math.min(due - grace + stopMs, due) - clock.now() : 0;
    if (left > 0) return left;
    api.delete(
      PODS,
      pod.metadata,
      { uid: pod.metadata.uid, gracePeriodSeconds: 0 },
      `system:node:${pod.spec.nodeName}`,
    );
    return undefined;
  }

  function report(pod: Pod, life: Life, happening: Omit<Happening, 'restarts' | 'hostIP' | 'podIP'>): void {
    const started = happening.phase !== 'Pending';
    const full: Happening = {
      ...happening,
      restarts: life.restarts,
      hostIP: '10.0.1.1',
      ...(started && { podIP: life.podIP }),
    };
    writeStatus(api, PODS, pod, podStatus(pod, full, clock.now()), `system:node:${pod.spec.nodeName}`);
  }

  const enter = (life: Life, stage: Life['stage']): void => {
    life.stage = stage;
    life.since = clock.monotonic();
  };

  return { name: 'kubelet', keysFor, sync };
}

const waiting = (reason: string, message?: string): Happening['container'] => ({
  state: 'waiting',
  reason,
  ...(message && { message }),
});

/** Containers of Jobs end by themselves; all others run until they are stopped. */
function runsToEnd(pod: Pod): boolean {
  const { restartPolicy } = pod.spec;
  return restartPolicy === 'Never' || restartPolicy === 'OnFailure';
}
