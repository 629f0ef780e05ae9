/** Features for users of the operator and for authors of operators, row by row. */
import type { Chapter, Requirement } from './requirement.ts';

const OPERATOR = 'packages/operator/src';
const RUNTIME = 'packages/runtime/src';
const SCENARIOS = 'test/reloader/scenarios';

const RELOADS: readonly Requirement[] = [
  {
    id: 'row 1',
    asks: 'A Secret counts as changed when its data changes. Edits of its metadata reload nothing.',
  },
  { id: 'row 2', asks: 'A ConfigMap counts as changed when its `data` or `binaryData` changes.' },
  {
    id: 'row 3',
    asks: 'The recorded digests survive a restart: a change made while the operator was down is rolled out once, and an installation restarts nothing.',
  },
  {
    id: 'row 4',
    asks: 'The API server refuses a wrong ReloaderConfig and names the field; `kubectl get rlc` has useful columns.',
  },
  {
    id: 'row 5',
    asks: '`watchedResources` may name an object that is created later; the status lists what is missing.',
  },
  { id: 'row 6', asks: '`namespaceSelector` watches sources of other namespaces that allow it.' },
  { id: 'row 7', asks: '`resourceSelector` selects sources by label; beside names it filters them.' },
  { id: 'row 8', asks: '`matchLabels` asks for further labels on a source.' },
  { id: 'row 9', asks: 'Deployments, StatefulSets and DaemonSets are reloaded.' },
  {
    id: 'row 10',
    asks: 'Argo Rollouts and DeploymentConfigs are reloaded where their API exists; where it does not, a condition says so.',
  },
  {
    id: 'row 11',
    asks: 'A CronJob gets one Job for a change or takes it up at its next run; a Job is run again.',
  },
  {
    id: 'row 12',
    asks: 'A target in another namespace is reloaded only if that namespace or a flag allows it.',
  },
  {
    id: 'row 13',
    asks: 'The annotations of Stakater Reloader decide as they do there: auto, by kind, by name or expression, search and match, ignore, and the pod template where the workload says nothing.',
  },
  {
    id: 'row 14',
    asks: 'Annotations and ReloaderConfigs work side by side: one reload for one change, by the settings of the config.',
  },
  { id: 'row 15', asks: '`autoReloadAll` reloads the targets that refer to the source, and no others.' },
  {
    id: 'row 16',
    asks: '`enableTargetedReload` with `requireReference` limits a config to targets that refer to the source.',
  },
  {
    id: 'row 17',
    asks: 'The strategy env-vars writes the variable of Stakater Reloader into the right container, and `RELOADER_TRIGGERED_AT` for configs.',
  },
  { id: 'row 18', asks: 'The strategy annotations writes the source as JSON to the pod template.' },
  {
    id: 'row 19',
    asks: 'The strategy restart evicts the pods of this workload alone, honours PodDisruptionBudgets and leaves the template as it is.',
  },
  { id: 'row 20', asks: 'Each target of a config may have a strategy of its own.' },
  { id: 'row 21', asks: 'The strategy that a flag sets applies where a spec is silent.' },
  {
    id: 'row 22',
    asks: '`pausePeriod` rolls out the first change at once and later ones together when it ends, also across a restart.',
  },
  { id: 'row 23', asks: 'Several changes in a short time make one rollout: settling and batch windows.' },
  {
    id: 'row 24',
    asks: 'Maintenance windows by cron, duration and time zone hold changes, across restarts, where people can see what waits.',
    tests: [
      `${SCENARIOS}/gates.ts`,
      `${OPERATOR}/reloader/windows/zones.test.ts`,
      `${OPERATOR}/reloader/schedule/windows.test.ts`,
      `${OPERATOR}/reloader/engine/nights.test.ts`,
    ],
  },
  {
    id: 'row 25',
    asks: 'Whether a change is rolled out can depend on the key that changed, on the kind of the source, and on an expression.',
    tests: [`${SCENARIOS}/deferral.ts`, `${SCENARIOS}/annotations.ts`, `${SCENARIOS}/conditions.ts`],
  },
  { id: 'row 26', asks: '`match` and `kind` on a workload limit it to sources of a kind.' },
  { id: 'row 27', asks: 'A source that is created reloads workloads only where reload-on-create is on.' },
  {
    id: 'row 28',
    asks: 'A source that is deleted reloads workloads only where reload-on-delete is on; its last known annotations still count.',
  },
  { id: 'row 29', asks: '`ignoreResources` and the ignore annotation keep a source or a config out.' },
  {
    id: 'row 30',
    asks: 'Namespaces are chosen by selector, by list or by exclusion, and follow their labels as these change.',
  },
  { id: 'row 31', asks: 'Sources can be limited to a label, and the API server sends no others.' },
  {
    id: 'row 32',
    asks: 'The status of a config counts the reloads that really happened, for each target, with times and errors.',
  },
  {
    id: 'row 33',
    asks: 'The conditions of a config recover by themselves when their cause is gone, and do not flap.',
  },
  {
    id: 'row 34',
    asks: 'The last reloads of a workload can be read back with cause, result and duration.',
    tests: [`${OPERATOR}/reloader/report/history.test.ts`, 'test/cli/commands.test.ts'],
  },
  { id: 'row 35', asks: 'A reload that fails is tried again with backoff; a condition says so meanwhile.' },
  {
    id: 'row 36',
    asks: 'The operator follows each rollout to its end and reports success or failure; with verify it also waits until the pods have proven themselves.',
    tests: [`${SCENARIOS}/verifying.ts`, `${SCENARIOS}/failing.ts`],
  },
  {
    id: 'row 37',
    asks: 'Content that breaks a workload stops there, is not tried again and again, and the earlier template comes back; where that is asked for, so does the content of a ConfigMap.',
    tests: [`${SCENARIOS}/holding.ts`, `${SCENARIOS}/undoing.ts`, `${SCENARIOS}/restoring.ts`],
  },
  {
    id: 'row 38',
    asks: 'Content can be checked before it is rolled out, and content that fails the check is not.',
    tests: [`${SCENARIOS}/validating.ts`],
  },
  {
    id: 'row 39',
    asks: 'The order and the partition of a StatefulSet, and OnDelete, are respected and reported.',
  },
  {
    id: 'row 72',
    asks: 'Workloads that follow one source can be rolled out in an order, wave by wave.',
    tests: [`${SCENARIOS}/order.ts`],
  },
  {
    id: 'row 73',
    asks: 'A change can be tried on a few workloads before all others get it, and stops where these fail.',
    tests: [`${SCENARIOS}/order.ts`],
  },
];

const OPERATION: readonly Requirement[] = [
  {
    id: 'row 40',
    asks: 'Alerts go to Slack, Teams, Google Chat and webhooks, of one config or of all, several at once, with the URL in a Secret; a slow receiver delays no reload.',
    tests: [
      `${OPERATOR}/alerts/delivery/sender.test.ts`,
      `${OPERATOR}/alerts/destinations.test.ts`,
      `${OPERATOR}/alerts/alerts.cluster.test.ts`,
    ],
  },
  {
    id: 'row 41',
    asks: 'An alert names workload, source, strategy, time, error and config, in the colour of its outcome.',
    tests: [`${OPERATOR}/alerts/formats/formats.test.ts`, `${OPERATOR}/alerts/reporter.test.ts`],
  },
  {
    id: 'row 42',
    asks: 'Prometheus finds counts, errors, durations and queues on port 9090.',
    tests: ['test/metrics/prometheus.cluster.test.ts', 'test/metrics/documentation.test.ts'],
  },
  {
    id: 'row 43',
    asks: 'A Grafana dashboard and alert rules are delivered and work with these metrics.',
    tests: ['test/metrics/dashboard.test.ts', 'test/metrics/rules.cluster.test.ts'],
  },
  {
    id: 'row 44',
    asks: 'Events on workloads and configs tell what happened, aggregated.',
    tests: [
      `${SCENARIOS}/told.ts`,
      `${RUNTIME}/events/recorder.test.ts`,
      `${OPERATOR}/reloader/report/events.test.ts`,
    ],
  },
  {
    id: 'row 45',
    asks: 'An audit log in JSON says what was done to which workload because of which source and with which outcome, and holds no values.',
    tests: [`${OPERATOR}/audit/audit-log.test.ts`, 'test/cli/audit.test.ts'],
  },
  {
    id: 'row 46',
    asks: 'The operator has no right that it does not need, and works with Roles in chosen namespaces alone.',
    tests: ['test/chart/rbac.cluster.test.ts'],
  },
  {
    id: 'row 47',
    asks: 'A NetworkPolicy, Kyverno policies and manifests for Flux are delivered.',
    tests: ['test/chart/values.cluster.test.ts', 'test/chart/examples.cluster.test.ts'],
  },
  {
    id: 'row 48',
    asks: 'It installs by Helm, by kustomize and by one manifest, and every value of the chart has its effect.',
    tests: [
      'test/chart/install.cluster.test.ts',
      'test/chart/values.cluster.test.ts',
      'test/chart/kustomize.cluster.test.ts',
      'test/chart/packaging.test.ts',
    ],
  },
  {
    id: 'row 49',
    asks: 'Replicas elect a leader; probes tell whether the caches are in sync; a stop finishes what is in hand.',
    tests: [
      'test/failover/failover.cluster.test.ts',
      `${RUNTIME}/manager/health.test.ts`,
      `${RUNTIME}/manager/termination.test.ts`,
    ],
  },
  {
    id: 'row 50',
    asks: 'A validating webhook refuses selectors, templates and durations that cannot work.',
    tests: [`${OPERATOR}/admission/handlers.test.ts`, `${OPERATOR}/admission/admission.cluster.test.ts`],
  },
  {
    id: 'row 70',
    asks: 'The operator stays within 200m of CPU and 256Mi of memory at the documented scale.',
    tests: ['test/chart/budget.cluster.test.ts', 'bench/measures/reload-memory.ts'],
  },
  {
    id: 'row 71',
    asks: 'The documentation is true: its blocks run, its links lead somewhere, and it names everything that users can write.',
    tests: [
      'test/docs/names.test.ts',
      'test/docs/yaml.test.ts',
      'test/docs/commands.cluster.test.ts',
      'test/docs/links.test.ts',
    ],
  },
];

const POD_CONFIGS: readonly Requirement[] = [
  {
    id: 'row 51',
    asks: 'A PodConfigMapConfig shows the generation that was carried out.',
    tests: ['test/podconfig/acceptance.cluster.test.ts', `${OPERATOR}/podconfig/status.test.ts`],
  },
  {
    id: 'row 52',
    asks: 'Each selected pod has one ConfigMap for each config, with documented name, keys, labels and owner, and no needless write.',
    tests: ['test/podconfig/acceptance.cluster.test.ts', 'test/podconfig/cost.test.ts'],
  },
  {
    id: 'row 53',
    asks: 'When a selector or the labels of a pod change, ConfigMaps that are no longer wanted go, and only ours.',
    tests: ['test/podconfig/scenarios/life.ts', 'test/podconfig/scenarios/drift.ts'],
  },
  {
    id: 'row 54',
    asks: 'A config that is deleted leaves nothing behind, even if the operator was down.',
    tests: ['test/podconfig/scenarios/life.ts', 'test/podconfig/crash.test.ts'],
  },
  {
    id: 'row 55',
    asks: 'A generated ConfigMap that somebody edits or deletes is put right.',
    tests: ['test/podconfig/scenarios/drift.ts'],
  },
  {
    id: 'row 56',
    asks: 'Slashes in keys, long names and names that are taken are handled as documented, and reported in the status.',
    tests: ['test/podconfig/scenarios/naming.ts', `${OPERATOR}/podconfig/names.test.ts`],
  },
  {
    id: 'row 57',
    asks: '`configMapDataTemplate` is a Go template that can run no code; its errors are in a condition.',
    tests: [
      `${OPERATOR}/template/conformance.test.ts`,
      `${OPERATOR}/template/worker-renderer.test.ts`,
      'test/podconfig/scenarios/trouble.ts',
    ],
  },
  {
    id: 'row 58',
    asks: 'Conditions say whether a config is carried out, and what is wrong with its selector.',
    tests: ['test/podconfig/scenarios/trouble.ts', `${OPERATOR}/podconfig/status.test.ts`],
  },
  {
    id: 'row 59',
    asks: 'The metrics of PodConfigMapConfigs have values.',
    tests: ['test/podconfig/acceptance.cluster.test.ts', 'test/metrics/documentation.test.ts'],
  },
  {
    id: 'row 60',
    asks: 'A generated ConfigMap reloads workloads only where a setting asks for it, so that no circle of restarts begins.',
    tests: [`${OPERATOR}/reloader/want/want.test.ts`, `${OPERATOR}/reloader/want/want.properties.test.ts`],
  },
];

const FRAMEWORK: readonly Requirement[] = [
  {
    id: 'row 61',
    asks: 'A queue that runs each key once at a time, with backoff, delays and limits; results and errors of a pass mean what they mean in controller-runtime.',
    tests: [
      `${RUNTIME}/queue/work-queue.test.ts`,
      `${RUNTIME}/queue/work-queue.retries.test.ts`,
      `${RUNTIME}/controller/controller.outcomes.test.ts`,
    ],
  },
  {
    id: 'row 62',
    asks: 'Finalizers are added before the work and removed after a cleanup that succeeded.',
    tests: [`${RUNTIME}/objects/finalizers.test.ts`],
  },
  {
    id: 'row 63',
    asks: 'Children are created or updated only where they differ, and have one controlling owner.',
    tests: [`${RUNTIME}/objects/create-or-update.test.ts`, `${RUNTIME}/objects/owners.test.ts`],
  },
  {
    id: 'row 64',
    asks: 'A component is Managed, Removed or Unmanaged; only what its owner controls is removed.',
    tests: [`${RUNTIME}/objects/components.test.ts`],
  },
  {
    id: 'row 65',
    asks: 'Each pass has an id in its log lines, and tells its result and duration.',
    tests: [`${RUNTIME}/controller/controller.context.test.ts`, `${RUNTIME}/logging/logging.test.ts`],
  },
  {
    id: 'row 66',
    asks: 'Errors are told apart by type: try again, wait for a change of the configuration, or give up.',
    tests: [`${RUNTIME}/controller/errors.test.ts`, `${RUNTIME}/controller/result.test.ts`],
  },
  {
    id: 'row 67',
    asks: 'A phase is derived from the conditions.',
    tests: [`${RUNTIME}/objects/conditions.test.ts`, 'test/authoring/builder-settings.test.ts'],
  },
  {
    id: 'row 68',
    asks: 'The kind belongs to the key of the queue, and passes read from informers.',
    tests: [
      `${SCENARIOS}/defects.ts`,
      `${RUNTIME}/controller/sources.test.ts`,
      'test/podconfig/cost.test.ts',
    ],
  },
  {
    id: 'row 69',
    asks: 'Children are reconciled in order; the first failure ends the list and names its step.',
    tests: [`${RUNTIME}/objects/steps.test.ts`, 'examples/webapp/src/webapp.test.ts'],
  },
];

export const ROWS: readonly Chapter[] = [
  {
    title: 'Reloads',
    about: 'What reloads which workload, how and when. Cited as `row N`.',
    requirements: RELOADS,
  },
  { title: 'In operation', about: 'Cited as `row N`.', requirements: OPERATION },
  { title: 'ConfigMaps from pods', about: 'Cited as `row N`.', requirements: POD_CONFIGS },
  { title: 'The runtime for authors of operators', about: 'Cited as `row N`.', requirements: FRAMEWORK },
];
