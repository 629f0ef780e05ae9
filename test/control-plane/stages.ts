/**
 * KWOK stages that simulate the kubelets: each sets the next status of an object.
 *
 * A pod is ready at once, unless its annotations choose another behaviour (see `behaviours`); the pod of a Job then
 * completes. A pod that is being deleted is removed at once. Probes are not called and no image is pulled.
 */

/** Annotation of a pod that chooses one of `behaviours`. */
export const behaviourAnnotation = 'control-plane.test/behaviour';

/** Annotation with the delay of a slow start, for example `5s`; 2 seconds without it. */
export const delayAnnotation = 'control-plane.test/delay';

export const behaviours = {
  slowStart: 'slow-start',
  /** Runs, but never passes its readiness probe. */
  neverReady: 'never-ready',
  /** Its containers exited with an error and wait for their restart. */
  crash: 'crash',
  /** The same, but only of a pod that a reload made: one whose template carries the mark of a reload. */
  crashOnceReloaded: 'crash-once-reloaded',
  /** Starts when a test has read its content, and as that test says (`verdictAnnotation`). */
  readsContent: 'reads-content',
} as const;

/** Annotation of a pod that reads content: what its containers do with it. */
export const verdictAnnotation = 'control-plane.test/verdict';

export const verdicts = {
  runs: 'runs',
  crashes: 'crashes',
  /** Crashed before; its containers were started again and run. */
  recovers: 'recovers',
} as const;

export const nodeName = 'kwok-node';

/** The one node; KWOK gives it room for any number of pods. */
export const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: nodeName,
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
    labels: {
      'kubernetes.io/hostname': nodeName,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    },
  },
};

interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

interface Stage {
  readonly name: string;
  readonly kind: 'Node' | 'Pod';
  readonly when: readonly Requirement[];
  readonly delay?: object;
  readonly next: object;
}

const defaultDelayMilliseconds = 2_000;
const heartbeatMilliseconds = 15_000;

const isReady = '.status.conditions.[] | select( .type == "Ready" ) | .status';
const behaviour = `.metadata.annotations["${behaviourAnnotation}"]`;
const reloadMark = '.metadata.annotations["reloader.stakater.com/rolled"]';
const onceReloaded: Requirement = {
  key: behaviour,
  operator: 'In',
  values: [behaviours.crashOnceReloaded],
};
const verdict = `.metadata.annotations["${verdictAnnotation}"]`;
const readsContent: Requirement = { key: behaviour, operator: 'In', values: [behaviours.readsContent] };
const decides = (value: string): Requirement => ({ key: verdict, operator: 'In', values: [value] });
const alive: Requirement = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };
const pending: Requirement = { key: '.status.phase', operator: 'In', values: ['Pending'] };
const running: Requirement = { key: '.status.phase', operator: 'In', values: ['Running'] };

const stages: readonly Stage[] = [
  {
    name: 'node-initialize',
    kind: 'Node',
    when: [{ key: isReady, operator: 'NotIn', values: ['True'] }],
    next: { statusTemplate: `${nodeConditions('Now')}${nodeFacts()}` },
  },
  {
    name: 'node-heartbeat',
    kind: 'Node',
    when: [{ key: isReady, operator: 'In', values: ['True'] }],
    delay: { durationMilliseconds: heartbeatMilliseconds },
    next: { statusTemplate: nodeConditions('.metadata.creationTimestamp') },
  },
  {
    name: 'pod-ready',
    kind: 'Pod',
    when: [alive, pending, { key: behaviour, operator: 'NotIn', values: Object.values(behaviours) }],
    next: { statusTemplate: podStarted(true, runningState()) },
  },
  {
    name: 'pod-slow-start',
    kind: 'Pod',
    when: [alive, pending, { key: behaviour, operator: 'In', values: [behaviours.slowStart] }],
    delay: {
      durationMilliseconds: defaultDelayMilliseconds,
      durationFrom: { expressionFrom: `.metadata.annotations["${delayAnnotation}"]` },
    },
    next: { statusTemplate: podStarted(true, runningState()) },
  },
  {
    name: 'pod-never-ready',
    kind: 'Pod',
    when: [alive, pending, { key: behaviour, operator: 'In', values: [behaviours.neverReady] }],
    next: { statusTemplate: podStarted(false, runningState()) },
  },
  {
    name: 'pod-crash',
    kind: 'Pod',
    when: [alive, pending, { key: behaviour, operator: 'In', values: [behaviours.crash] }],
    next: { statusTemplate: podStarted(false, crashedState()) },
  },
  {
    name: 'pod-crash-reloaded',
    kind: 'Pod',
    when: [alive, pending, onceReloaded, { key: reloadMark, operator: 'Exists' }],
    next: { statusTemplate: podStarted(false, crashedState()) },
  },
  {
    name: 'pod-ready-not-reloaded',
    kind: 'Pod',
    when: [alive, pending, onceReloaded, { key: reloadMark, operator: 'DoesNotExist' }],
    next: { statusTemplate: podStarted(true, runningState()) },
  },
  {
    name: 'pod-content-runs',
    kind: 'Pod',
    when: [alive, pending, readsContent, decides(verdicts.runs)],
    next: { statusTemplate: podStarted(true, runningState()) },
  },
  {
    name: 'pod-content-crashes',
    kind: 'Pod',
    when: [alive, pending, readsContent, decides(verdicts.crashes)],
    next: { statusTemplate: podStarted(false, crashedState()) },
  },
  {
    name: 'pod-content-recovers',
    kind: 'Pod',
    when: [
      alive,
      running,
      readsContent,
      decides(verdicts.recovers),
      { key: isReady, operator: 'NotIn', values: ['True'] },
    ],
    next: { statusTemplate: podStarted(true, runningState(1), '.status.startTime') },
  },
  {
    name: 'pod-complete',
    kind: 'Pod',
    when: [
      alive,
      running,
      { key: '.metadata.ownerReferences.[].kind', operator: 'In', values: ['Job'] },
      { key: behaviour, operator: 'NotIn', values: [behaviours.neverReady, behaviours.crash] },
    ],
    next: { statusTemplate: podCompleted() },
  },
  {
    name: 'pod-delete',
    kind: 'Pod',
    when: [{ key: '.metadata.deletionTimestamp', operator: 'Exists' }],
    next: { delete: true },
  },
];

/** The stages as a configuration file for KWOK. */
export function stagesText(): string {
  return stages
    .map(({ name, kind, when, delay, next }) => ({
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'Stage',
      metadata: { name },
      spec: {
        resourceRef: { apiGroup: 'v1', kind },
        selector: { matchExpressions: when },
        ...(delay === undefined ? {} : { delay }),
        next,
      },
    }))
    .map((document) => JSON.stringify(document, undefined, 2))
    .join('\n---\n');
}

function nodeConditions(since: string): string {
  return `{{ $now := Now }}
{{ $since := ${since} }}
conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ $now | Quote }}
  lastTransitionTime: {{ $since | Quote }}
{{ end }}
`;
}

function nodeFacts(): string {
  const room = '{ cpu: 100k, memory: 100Ti, pods: 1M }';
  return `phase: Running
allocatable: ${room}
capacity: ${room}
addresses:
- { type: InternalIP, address: {{ NodeIP | Quote }} }
- { type: Hostname, address: {{ .metadata.name | Quote }} }
nodeInfo:
  architecture: amd64
  operatingSystem: linux
  bootID: kwok
  containerRuntimeVersion: kwok
  kernelVersion: kwok
  kubeProxyVersion: kwok
  kubeletVersion: kwok
  machineID: kwok
  osImage: kwok
  systemUUID: kwok
`;
}

function podStarted(ready: boolean, containerState: string, since = '$now'): string {
  const condition = (type: string, met: boolean) =>
    `- { type: ${type}, status: "${met ? 'True' : 'False'}", lastTransitionTime: {{ $now | Quote }} }`;
  const identity = '( or .spec.hostNetwork false ) .metadata.uid .metadata.name .metadata.namespace';
  return `{{ $now := Now }}
phase: Running
startTime: {{ ${since} | Quote }}
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ PodIPWith .spec.nodeName ${identity} | Quote }}
conditions:
${condition('Initialized', true)}
${condition('ContainersReady', ready)}
${condition('Ready', ready)}
{{ range .spec.readinessGates }}
${condition('{{ .conditionType | Quote }}', true)}
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: ${ready}
${containerState}
{{ end }}
initContainerStatuses:
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: true
  restartCount: 0
{{ if eq .restartPolicy "Always" }}
  started: true
  state: { running: { startedAt: {{ $now | Quote }} } }
{{ else }}
${terminatedState(0, 'Completed')}
{{ end }}
{{ end }}
`;
}

function podCompleted(): string {
  return `{{ $now := Now }}
phase: Succeeded
conditions:
- { type: Ready, status: "False", reason: PodCompleted, lastTransitionTime: {{ $now | Quote }} }
- { type: ContainersReady, status: "False", reason: PodCompleted, lastTransitionTime: {{ $now | Quote }} }
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: false
  started: false
  restartCount: 0
${terminatedState(0, 'Completed')}
{{ end }}
`;
}

function runningState(restarts = 0): string {
  return `  started: true
  restartCount: ${restarts}
  state: { running: { startedAt: {{ $now | Quote }} } }`;
}

function crashedState(): string {
  return `  started: false
  restartCount: 1
  state: { waiting: { reason: CrashLoopBackOff, message: "back-off restarting failed container" } }
${terminatedState(1, 'Error', 'lastState')}`;
}

function terminatedState(exitCode: number, reason: string, field = 'state'): string {
  const times = 'startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }}';
  return `  ${field}: { terminated: { exitCode: ${exitCode}, reason: ${reason}, ${times} } }`;
}
