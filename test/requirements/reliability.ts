/** Guarantees under faults and load. */
import type { Chapter, Requirement } from './requirement.ts';

const OPERATOR = 'packages/operator/src';
const RUNTIME = 'packages/runtime/src';
const CHECKS = 'test/reloader/checks';

const INVARIANTS: readonly Requirement[] = [
  {
    id: 'I1',
    asks: 'No workload restarts unless a source that it follows differs from its record.',
    tests: [`${CHECKS}/explained.ts`, 'test/storms/reasons.ts'],
  },
  {
    id: 'I2',
    asks: 'Each such difference is rolled out in the end, once for its final content.',
    tests: [`${CHECKS}/converged.ts`, 'test/storms/truth.ts', 'test/storms/second-restarts.test.ts'],
  },
  {
    id: 'I3',
    asks: 'A restart, an upgrade, a change of leader, a relist and a takeover restart no workload.',
  },
  {
    id: 'I4',
    asks: 'No more rollouts are unfinished at a time than the budgets allow.',
    tests: [
      'test/reloader/scenarios/slots.ts',
      'test/reloader/scenarios/gates.ts',
      `${OPERATOR}/reloader/engine/nights.test.ts`,
    ],
  },
  {
    id: 'I5',
    asks: 'No reload is planned while a gate that counts is closed, unless a person said so.',
    tests: [`${OPERATOR}/reloader/plan/gates.walk.test.suite.ts`],
  },
  {
    id: 'I6',
    asks: 'Only fields of our own change on a workload, and none is left paused by us.',
    tests: [`${CHECKS}/own-fields.ts`, `${CHECKS}/requests.ts`, `${CHECKS}/converged.ts`],
  },
  { id: 'I7', asks: 'A bad object affects itself only.', tests: [`${CHECKS}/healthy.ts`] },
  {
    id: 'I8',
    asks: 'No write begins after the lease may have ended, and two leaders never write at once.',
    tests: [
      `${RUNTIME}/election/fence.test.ts`,
      `${RUNTIME}/election/election.test.ts`,
      'test/failover/failover.cluster.test.ts',
    ],
  },
  {
    id: 'I9',
    asks: 'Memory and queues are bounded, whatever arrives.',
    tests: ['test/hostile/hostile.test.ts', 'test/storms/crowd.long.test.ts'],
  },
  {
    id: 'I10',
    asks: 'No byte of a Secret is found in logs, Events, annotations, metrics or the heap.',
    tests: [`${CHECKS}/secrets.ts`],
  },
  {
    id: 'I11',
    asks: 'When faults stop, everything comes to rest in the right state within 30 seconds, or minutes in a storm.',
    tests: [`${CHECKS}/converged.ts`, 'test/storms/weather.test.ts'],
  },
  {
    id: 'I12',
    asks: 'The status is what is the case.',
    tests: [`${CHECKS}/counts.ts`, 'test/storms/reasons.ts', 'test/storms/weather.ts'],
  },
];

const WATCHES: readonly Requirement[] = [
  {
    id: 'R1',
    asks: 'Watches end at random points: no event is lost, and nothing is listed again without need.',
  },
  { id: 'R2', asks: 'A version has expired or is ahead of the server: one list recovers.' },
  {
    id: 'R3',
    asks: 'Watch-list is unknown to the server, endless, or changes while it is sent: no partial cache shows.',
  },
  { id: 'R4', asks: 'A connection falls silent: that is noticed, and shows in readiness.' },
  { id: 'R5', asks: 'The server refuses or is away: requests become rare, and recovery is quick.' },
  {
    id: 'R6',
    asks: 'Chunks may end at any byte; what is too large or damaged gives a typed error.',
    tests: [`${RUNTIME}/client/decode/list-items.test.ts`, `${RUNTIME}/client/decode/watch-events.test.ts`],
  },
  { id: 'R7', asks: 'An object is deleted and created again unseen: both are delivered.' },
];

const QUEUES: readonly Requirement[] = [
  {
    id: 'Q1',
    asks: 'Random operations on the queue agree with a model; no key is lost or in two hands.',
    tests: [`${RUNTIME}/queue/work-queue.model.test.ts`],
  },
  {
    id: 'Q2',
    asks: 'A large first list does not keep live events waiting, nor these the list for ever.',
    tests: [`${RUNTIME}/queue/work-queue.fairness.test.ts`],
  },
  {
    id: 'Q3',
    asks: 'A namespace with a flood of events does not keep others waiting.',
    tests: [`${RUNTIME}/queue/work-queue.fairness.test.ts`],
  },
];

const CRASHES: readonly Requirement[] = [
  {
    id: 'C1',
    asks: 'The operator dies at any one of its writes: the end and the counts are those of an undisturbed run.',
    tests: ['test/storms/crash.suite.ts', 'test/scenarios/crash.test.ts'],
  },
  { id: 'C2', asks: 'The next connection leads to a server that lags: old content restarts nothing.' },
  { id: 'C3', asks: 'Several updates are seen as one: the end is the same.' },
  { id: 'C4', asks: 'There and back, gone and here again, broken and mended: nothing is left over.' },
  { id: 'C5', asks: 'Own writes come back late: nothing is patched twice.' },
  { id: 'C6', asks: 'Conflicts, policies and quotas refuse writes: these are tried again, others go on.' },
];

const LEADERS: readonly Requirement[] = [
  { id: 'L1', asks: 'A leader that is cut off never writes together with its successor, who comes in time.' },
  { id: 'L2', asks: 'A leader that stood still writes nothing when it wakes up, and exits.' },
  { id: 'L3', asks: 'Clocks of replicas may run differently by half.' },
  { id: 'L4', asks: 'A slow API server costs nobody the lease.' },
  {
    id: 'L5',
    asks: 'After SIGTERM under load, work in hand ends and the lease is given back last.',
    tests: [`${RUNTIME}/manager/termination.test.ts`],
  },
];

const LOADS: readonly Requirement[] = [
  { id: 'O1', asks: 'Thirteen shapes of load, from bursts to projected volumes, end with exact counts.' },
  {
    id: 'O2',
    asks: 'Thousands of Secrets change within a second: all are rolled out, within the cap where there is one.',
  },
  {
    id: 'O3',
    asks: 'Two writers flip a source for ever: a rate limit holds the workload, and people are told once.',
    tests: [`${OPERATOR}/reloader/plan/storm.test.ts`, 'test/reloader/scenarios/gates.ts'],
  },
  {
    id: 'O4',
    asks: 'Windows are right across changes of clocks, midnight and overlaps, wherever the operator runs.',
    tests: [`${OPERATOR}/reloader/windows/zones.test.ts`, `${OPERATOR}/reloader/windows/opening.test.ts`],
  },
  {
    id: 'O5',
    asks: 'A rollout that fails is noticed and told with its cause, and its content goes no further.',
    tests: ['test/reloader/scenarios/failing.ts', 'test/reloader/scenarios/holding.ts'],
  },
  {
    id: 'O6',
    asks: 'Tens of thousands of sources fit the memory of the chart, and the operator is ready within seconds.',
    tests: [
      'bench/measures/reload-memory.ts',
      'bench/measures/reload-scale.ts',
      'test/chart/budget.cluster.test.ts',
    ],
  },
  { id: 'O7', asks: 'A takeover from Stakater Reloader and the way back restart nothing.' },
  { id: 'O8', asks: 'Whatever tenants write takes linear time and harms nobody else.' },
  {
    id: 'O9',
    asks: 'The operator runs for a day under load without growing.',
    missing: 'a day in real time: a virtual day and a real hour are run',
  },
  { id: 'S1', asks: 'Planted secrets are found in no output and not in the heap.' },
  {
    id: 'S2',
    asks: 'Each single right that is taken away is told; nothing crashes, and nothing stands still in silence.',
  },
];

const chapter = (title: string, about: string, requirements: readonly Requirement[]): Chapter => ({
  title,
  about,
  requirements,
});

export const RELIABILITY: readonly Chapter[] = [
  chapter(
    'Invariants',
    'What holds in every history. Checks look for them after every scenario and in the recorded history of every storm. Cited as `I1`.',
    INVARIANTS,
  ),
  chapter('Watches', 'Cited as `R1`.', WATCHES),
  chapter('Queue', 'Cited as `Q1`.', QUEUES),
  chapter('Crashes, lag and refusals', 'Cited as `C1`.', CRASHES),
  chapter('Leaders', 'Cited as `L1`.', LEADERS),
  chapter('Load, and hostile input', 'Cited as `O1` and `S1`.', LOADS),
];
