/** Promises to users, the rules of the ledger that keep them, and the examples of the first guide. */
import type { Chapter } from './requirement.ts';

const OPERATOR = 'packages/operator/src';

export const LEDGER: readonly Chapter[] = [
  {
    title: 'Promises',
    about: 'What users may rely on, whatever happens. Cited as `promise N`.',
    requirements: [
      {
        id: 'promise 1',
        asks: 'No change is lost and no workload restarts twice for it, wherever something crashes.',
        tests: ['test/storms/crash.suite.ts', 'test/kills/suite.ts', 'test/storms/weather.test.ts'],
      },
      {
        id: 'promise 2',
        asks: 'Installing, upgrading, opting in, taking over and a change of leader restart nothing and write to no workload.',
        tests: ['test/chart/install.cluster.test.ts'],
      },
      {
        id: 'promise 3',
        asks: 'One bad object harms itself only and holds up nobody for more than 100 ms; its owner is told where and why.',
        tests: ['test/hostile/hostile.test.ts', 'test/samples/bad-inputs.test.ts'],
      },
      {
        id: 'promise 4',
        asks: 'The operator patches fields of its own under one field manager, and writes to no source unless a setting asks for it.',
        tests: ['test/reloader/checks/own-fields.ts', 'test/reloader/checks/requests.ts'],
      },
      {
        id: 'promise 5',
        asks: 'No value of a Secret reaches a log, Event, metric, annotation, alert or the page.',
        tests: ['test/reloader/checks/secrets.ts', 'test/reloader/scenarios/canary.ts'],
      },
      {
        id: 'promise 6',
        asks: 'Every right in the chart is one without which a test fails.',
        tests: ['test/chart/rbac.cluster.test.ts'],
      },
      {
        id: 'promise 7',
        asks: '`reloader cleanup` takes our annotations away without a restart, and Stakater Reloader can take over again.',
        tests: [
          'test/cli/cleanup-ledgers.test.ts',
          'test/cli/commands.test.ts',
          'test/reloader/scenarios/takeover.ts',
        ],
      },
    ],
  },
  {
    title: 'Rules of the ledger',
    about:
      'The record of what a workload was last rolled out with stays true by these rules. [Decision 6](adr/0006-the-ledger.md) says why. Cited as `rule N`.',
    requirements: [
      {
        id: 'rule 1',
        asks: 'A patch tests the uid, our own earlier values and the names of the containers it changes, not the resourceVersion. A test that fails leads to a new decision from fresh state.',
      },
      {
        id: 'rule 2',
        asks: 'A ledger with another uid is none. One that went back on the same workload (`kubectl rollout undo`) is recorded and not rolled out again. One of a newer version is left alone. Digests made with another key are decided by the pods.',
      },
      {
        id: 'rule 3',
        asks: 'A ledger that somebody stripped is not written again: the note counts, and without it the mark on the pod template.',
      },
      {
        id: 'rule 4',
        asks: 'A template that was put back in the middle of a rollout is rolled out again a bounded number of times while old pods live; later it is left alone.',
      },
      {
        id: 'rule 5',
        asks: 'If somebody else changes the template after the source, new pods have the new content: record it only. Settling gives a release the time for that.',
      },
      {
        id: 'rule 6',
        asks: 'Without a record a workload is adopted as it is. Only data written after its creation, after the installation and after the opt-in is decided by the pods.',
      },
      {
        id: 'rule 7',
        asks: 'Opting out drops the entry. An entry keeps its scope, the whole object or some keys; another scope is recorded and reloads nothing.',
      },
      {
        id: 'rule 8',
        asks: 'A source counts as deleted only when that is proven: lost rights, lost labels and namespaces that are going are no deletions.',
      },
      {
        id: 'rule 9',
        asks: 'Adopting comes after everything else and writes to no workload. Where notes cannot be written the record is in memory, and a condition says so.',
      },
      {
        id: 'rule 10',
        asks: 'A deferred change is not dropped, whichever gate deferred it, and also across restarts.',
      },
      {
        id: 'rule 11',
        asks: 'Evictions and Jobs have an order that survives a crash: the name of a Job follows from the change, and Jobs of CronJobs are never touched.',
      },
      {
        id: 'rule 12',
        asks: 'What is recorded need not have been rolled out: OnDelete, a partition and a paused Deployment show as waiting.',
      },
      {
        id: 'rule 13',
        asks: 'Counts come from the ledger, so that a crash right after the patch loses none.',
      },
    ],
  },
  {
    title: 'Acceptance',
    about:
      'What readers of the first guide to ReloaderConfigs type, and what they see. Cited as `document 1, line N`.',
    requirements: [
      { id: 'document 1, line 1', asks: 'The sample shows Available, hashes and observedGeneration.' },
      {
        id: 'document 1, line 2',
        asks: 'A changed Secret is logged with digests; with a flag the digest stands on the Secret.',
      },
      { id: 'document 1, line 3', asks: 'A changed ConfigMap is logged in the same way.' },
      {
        id: 'document 1, line 4',
        asks: 'A config with a target and the strategy env-vars makes a rolling update, log lines and a status.',
      },
      { id: 'document 1, line 5', asks: 'An annotation that names the Secret of a volume makes a rollout.' },
      { id: 'document 1, line 6', asks: 'A target that a config names needs no reference to the source.' },
      {
        id: 'document 1, line 7',
        asks: 'Two targets and an annotated workload reload once each; the config counts two.',
      },
      {
        id: 'document 1, line 8',
        asks: 'With a pause, the first of two updates is rolled out at once and the second at its end.',
      },
      { id: 'document 1, line 9', asks: 'An edit of metadata reloads nothing.' },
      {
        id: 'document 1, line 10',
        asks: 'A missing target is named in Degraded, which ends when it is created.',
      },
      {
        id: 'document 1, line 11',
        asks: 'Alerts reach all four kinds of receivers.',
        tests: [`${OPERATOR}/alerts/alerts.cluster.test.ts`],
      },
      { id: 'document 1, line 12', asks: 'Creation and deletion reload where a config asks for it.' },
    ],
  },
];
