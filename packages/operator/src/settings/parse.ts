/**
 * Converts command line and environment to settings. Pure except for the pod's namespace, which is read from a file.
 */
import { readFileSync } from 'node:fs';
import type { AnnotationNames } from '../reloader/model/annotations.ts';
import { DEFAULT_ANNOTATIONS } from '../reloader/model/annotations.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import { alertSettings } from './alerts.ts';
import { badFlag, type ParsedFlags, parseFlags } from './arguments.ts';
import { type Environment, variable } from './environment.ts';
import type { FlagValues } from './flags.ts';
import { logSettings } from './logging.ts';
import { scopeSettings } from './scope.ts';
import { serverSettings } from './servers.ts';
import {
  CONTROLLER_NAMES,
  type ControllerName,
  type ElectionSettings,
  type Notice,
  type Settings,
} from './settings.ts';
import { UsageError } from './usage-error.ts';

export { UsageError };

const LEASE_NAME = 'stakater-reloader-lock';
const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

export interface ParseOptions {
  /** The namespace of the pod, if no variable has it. Reads the service account's file unless given. */
  readonly podNamespace?: () => string | undefined;
}

/** Throws a `UsageError` for every invalid flag or value. */
export function parseSettings(
  argv: readonly string[],
  environment: Environment,
  options: ParseOptions = {},
): Settings {
  const flags = parseFlags(argv);
  const { values, given } = flags;
  const notices: Notice[] = [];
  if (given.has('sync-after-restart')) {
    notices.push({
      level: 'info',
      message: '--sync-after-restart is always on: what changed while the operator was away is always found',
    });
  }
  const podNamespace =
    variable(environment, 'POD_NAMESPACE') ?? (options.podNamespace ?? podNamespaceFromFile)();
  const operatorNamespace = variable(environment, 'RELOADER_NAMESPACE') ?? podNamespace ?? 'default';
  return {
    reloader: {
      ...reloaderSettings(flags),
      ...scopeSettings(flags, environment, notices),
      operatorNamespace,
      operatorName: variable(environment, 'RELOADER_DEPLOYMENT_NAME') ?? 'reloader',
    },
    controllers: controllersOf(values.controllers),
    kubeconfig: values.kubeconfig || undefined,
    log: logSettings(flags, notices),
    ...serverSettings(values, notices),
    election: electionSettings(values, environment, podNamespace ?? operatorNamespace),
    metricsByNamespace: environment.METRICS_COUNT_BY_NAMESPACE === 'enabled',
    alerts: alertSettings(flags, environment, notices),
    auditLog: values['audit-log'] || undefined,
    notices,
  };
}

type Scope = keyof ReturnType<typeof scopeSettings>;

function reloaderSettings(
  flags: ParsedFlags,
): Omit<ReloaderSettings, Scope | 'operatorNamespace' | 'operatorName'> {
  const { values } = flags;
  return {
    names: annotationNames(values),
    autoReloadAll: values['auto-reload-all'],
    reloadStrategy: values['reload-strategy'],
    rolloutStrategy: values['rollout-strategy'],
    reloadOnCreate: values['reload-on-create'],
    reloadOnDelete: values['reload-on-delete'],
    ...settling(flags),
    batchWindowMs: values['batch-window'],
    reloadRate: values['reload-rate'],
    maxUnfinishedRollouts: values['max-unfinished-rollouts'],
    warnFanOut: values['warn-fan-out'],
    rolloutDeadlineMs: rolloutDeadline(values['rollout-deadline']),
    mode: values.mode,
    verify: values.verify,
    restoreConfigMaps: values['restore-config-maps'],
    keyLevel: values['key-level'],
    digest: values.digest,
    takeover: values.takeover,
    recreate: values.recreate,
    cronJobStrategy: values['cronjob-strategy'],
    finishedJobs: values['finished-jobs'],
    allowCrossNamespace: values['allow-cross-namespace'],
    namespaceDefaults: values['namespace-defaults'],
    reloadOnGenerated: values['reload-on-generated'],
    writeSourceHash: values['write-source-hash'],
    argoRollouts: values['is-Argo-Rollouts'],
    csi: values['enable-csi-integration'],
    webhookUrl: values['webhook-url'],
  };
}

function annotationNames(values: FlagValues): AnnotationNames {
  return {
    ...DEFAULT_ANNOTATIONS,
    auto: values['auto-annotation'],
    configMapAuto: values['configmap-auto-annotation'],
    secretAuto: values['secret-auto-annotation'],
    configMapReload: values['configmap-annotation'],
    secretReload: values['secret-annotation'],
    search: values['auto-search-annotation'],
    match: values['search-match-annotation'],
    ignore: values['ignore-annotation'],
    pausePeriod: values['pause-deployment-annotation'],
    pausedAt: values['pause-deployment-time-annotation'],
  };
}

function settling({ values, given }: ParsedFlags): {
  readonly settleMs: number;
  readonly settleMaxMs: number;
} {
  const settleMs = values.settle;
  const settleMaxMs = values['settle-max'];
  if (settleMaxMs >= settleMs) return { settleMs, settleMaxMs };
  if (given.has('settle-max'))
    throw new UsageError(
      `--settle-max must not be shorter than --settle: ${settleMaxMs} ms and ${settleMs} ms`,
    );
  return { settleMs, settleMaxMs: settleMs };
}

function rolloutDeadline(ms: number): number {
  if (ms > 0) return ms;
  throw badFlag(
    'rollout-deadline',
    `${ms}s`,
    'must be longer than 0s: every rollout would have failed at once',
  );
}

function controllersOf(names: readonly string[]): Set<ControllerName> {
  const known = names.map((name) => {
    const controller = CONTROLLER_NAMES.find((each) => each === name);
    if (!controller) {
      const why = `this version has no controller "${name}", only ${CONTROLLER_NAMES.join(', ')}`;
      throw badFlag('controllers', names.join(','), why);
    }
    return controller;
  });
  if (known.length === 0)
    throw badFlag(
      'controllers',
      '',
      `nothing would run: name at least one of ${CONTROLLER_NAMES.join(', ')}`,
    );
  return new Set(known);
}

function electionSettings(
  values: FlagValues,
  environment: Environment,
  namespace: string,
): ElectionSettings | undefined {
  if (!values['enable-ha'] && !values['leader-elect']) return undefined;
  const podName = variable(environment, 'POD_NAME');
  if (values['enable-ha'] && (!podName || !variable(environment, 'POD_NAMESPACE'))) {
    throw new UsageError(
      '--enable-ha needs the environment variables POD_NAME and POD_NAMESPACE: set both from the fields metadata.name and metadata.namespace of the pod',
    );
  }
  return { lease: { namespace, name: LEASE_NAME }, podName };
}

function podNamespaceFromFile(): string | undefined {
  try {
    return readFileSync(POD_NAMESPACE_FILE, 'utf8').trim() || undefined;
  } catch {
    // Not in a pod, or in one without a service account.
    return undefined;
  }
}
