/** READY, STATUS and RESTARTS of a pod as `kubectl get` shows them. */
import type { KubeObject } from '../../model/object.ts';
import { describeAge } from '../age.ts';
import { array, dig, type Fields, integer, isRecord, record, records, text } from '../fields.ts';
import type { Column, RowCondition } from '../kind.ts';
import { age, column, name, wide } from '../table.ts';

interface Summary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

export const podColumns: readonly Column[] = [
  name,
  column('Ready', (pod, now) => summarize(pod, now).ready),
  column('Status', (pod, now) => summarize(pod, now).status),
  column('Restarts', (pod, now) => summarize(pod, now).restarts),
  age,
  wide('IP', (pod) => text(record(array(dig(pod, 'status', 'podIPs'))[0]).ip) || '<none>'),
  wide('Node', (pod) => text(dig(pod, 'spec', 'nodeName')) || '<none>'),
  wide('Nominated Node', (pod) => text(dig(pod, 'status', 'nominatedNodeName')) || '<none>'),
  wide('Readiness Gates', (pod) => {
    const gates = records(dig(pod, 'spec', 'readinessGates'));
    if (gates.length === 0) return '<none>';
    const passed = gates.filter((gate) => conditionStatus(pod, text(gate.conditionType)) === 'True');
    return `${passed.length}/${gates.length}`;
  }),
];

/** A finished pod is marked so that clients can hide it. */
export function podRowConditions(pod: KubeObject): readonly RowCondition[] {
  const phase = text(dig(pod, 'status', 'phase'));
  if (phase === 'Succeeded') return [ended(phase, 'The pod has completed successfully.')];
  return phase === 'Failed' ? [ended(phase, 'The pod failed.')] : [];
}

const ended = (reason: string, message: string): RowCondition => ({
  type: 'Completed',
  status: 'True',
  reason,
  message,
});

const conditionStatus = (pod: KubeObject, type: string): string =>
  text(records(dig(pod, 'status', 'conditions')).find((condition) => condition.type === type)?.status);

/** The restart count and the time of the last restart. */
interface Restarts {
  count: number;
  last: string;
}

function addRestarts(total: Restarts, container: Fields): void {
  total.count += integer(container.restartCount);
  const finished = text(dig(container, 'lastState', 'terminated', 'finishedAt'));
  if (finished > total.last) total.last = finished;
}

function summarize(pod: KubeObject, now: number): Summary {
  const spec = record(pod.spec);
  const status = record(pod.status);
  const phase = text(status.phase);
  let reason = text(status.reason) || phase;
  const gated = records(status.conditions).some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  );
  if (gated) reason = 'SchedulingGated';

  const sidecars = new Set(
    records(spec.initContainers)
      .filter((container) => container.restartPolicy === 'Always')
      .map((container) => text(container.name)),
  );
  const init = summarizeInit(spec, status, sidecars);
  let restarts = init.restarts;
  let ready = init.ready;
  if (init.reason) reason = init.reason;
  if (!init.reason || conditionStatus(pod, 'Initialized') === 'True') {
    const main = summarizeContainers(pod, reason, init.sidecarRestarts);
    reason = main.reason;
    restarts = main.restarts;
    ready += main.ready;
  }
  if (pod.metadata.deletionTimestamp) {
    if (text(status.reason) === 'NodeLost') reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') reason = 'Terminating';
  }
  const since = restarts.last && restarts.count > 0 ? ` (${describeAge(restarts.last, now)} ago)` : '';
  return {
    ready: `${ready}/${array(spec.containers).length + sidecars.size}`,
    status: reason,
    restarts: `${restarts.count}${since}`,
  };
}

interface InitSummary {
  /** Set while an init container holds the pod up. */
  readonly reason?: string;
  readonly ready: number;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
}

function summarizeInit(spec: Fields, status: Fields, sidecars: ReadonlySet<string>): InitSummary {
  const restarts: Restarts = { count: 0, last: '' };
  const sidecarRestarts: Restarts = { count: 0, last: '' };
  let ready = 0;
  for (const [index, container] of records(status.initContainerStatuses).entries()) {
    addRestarts(restarts, container);
    const sidecar = sidecars.has(text(container.name));
    if (sidecar) addRestarts(sidecarRestarts, container);
    const terminated = dig(container, 'state', 'terminated');
    if (isRecord(terminated) && integer(terminated.exitCode) === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready === true) ready++;
      continue;
    }
    const waiting = text(dig(container, 'state', 'waiting', 'reason'));
    const progress = `Init:${index}/${array(spec.initContainers).length}`;
    const reason = isRecord(terminated)
      ? `Init:${terminationReason(terminated)}`
      : waiting && waiting !== 'PodInitializing'
        ? `Init:${waiting}`
        : progress;
    return { reason, ready, restarts, sidecarRestarts };
  }
  return { ready, restarts, sidecarRestarts };
}

function terminationReason(terminated: Fields): string {
  if (text(terminated.reason)) return text(terminated.reason);
  return integer(terminated.signal) !== 0
    ? `Signal:${integer(terminated.signal)}`
    : `ExitCode:${integer(terminated.exitCode)}`;
}

function summarizeContainers(
  pod: KubeObject,
  initial: string,
  sidecarRestarts: Restarts,
): { reason: string; ready: number; restarts: Restarts } {
  const restarts: Restarts = { ...sidecarRestarts };
  let reason = initial;
  let ready = 0;
  let running = false;
  let failure = '';
  for (const container of records(dig(pod, 'status', 'containerStatuses')).reverse()) {
    addRestarts(restarts, container);
    const terminated = dig(container, 'state', 'terminated');
    const waiting = text(dig(container, 'state', 'waiting', 'reason'));
    if (waiting) reason = waiting;
    else if (isRecord(terminated)) {
      reason = terminationReason(terminated);
      if (integer(terminated.exitCode) !== 0) failure = reason;
    } else if (container.ready === true && isRecord(dig(container, 'state', 'running'))) {
      running = true;
      ready++;
    }
  }
  if (reason === 'Completed') {
    if (running && conditionStatus(pod, 'Ready') === 'True') reason = 'Running';
    else if (failure) reason = failure;
    else if (running) reason = 'NotReady';
  }
  return { reason, ready, restarts };
}
