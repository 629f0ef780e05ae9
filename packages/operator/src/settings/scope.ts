/** The namespaces, sources and workloads in scope. */
import type { SourceKind } from '../reloader/model/source.ts';
import type { WorkloadKind } from '../reloader/model/workload.ts';
import { badFlag, type ParsedFlags } from './arguments.ts';
import { type Environment, variable } from './environment.ts';
import type { FlagName } from './flags.ts';
import { selectorOf } from './selectors.ts';
import type { Notice } from './settings.ts';
import { UsageError } from './usage-error.ts';

const SOURCES: ReadonlyMap<string, SourceKind> = new Map([
  ['configmaps', 'ConfigMap'],
  ['secrets', 'Secret'],
]);
const WORKLOADS: ReadonlyMap<string, WorkloadKind> = new Map([
  ['jobs', 'Job'],
  ['cronjobs', 'CronJob'],
]);
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** These select among all namespaces, so they have no effect if only some are watched. */
const GLOBAL_ONLY = ['namespaces-to-ignore', 'namespace-selector'] as const satisfies readonly FlagName[];

export function scopeSettings({ values, given }: ParsedFlags, environment: Environment, notices: Notice[]) {
  const namespaces = [...new Set(namespacesOf(values.namespaces, environment))];
  const isGlobal = namespaces.length === 0;
  for (const name of GLOBAL_ONLY) {
    if (!isGlobal && given.has(name)) {
      notices.push({
        level: 'warn',
        message: `--${name} is not used: it applies only where all namespaces are watched`,
        values: { namespaces },
      });
    }
  }
  // Parsed in any case: an invalid selector is an error even if it is not used.
  const namespaceSelector = selectorOf('namespace-selector', values['namespace-selector']);
  return {
    namespaces,
    namespacesToIgnore: new Set(isGlobal ? values['namespaces-to-ignore'] : []),
    namespaceSelector: isGlobal ? namespaceSelector : undefined,
    resourceLabelSelector:
      selectorOf('resource-label-selector', values['resource-label-selector'])?.text ?? '',
    ignoredSources: ignoredSources(values['resources-to-ignore']),
    ignoredWorkloads: ignoredWorkloads(values['ignored-workload-types'], notices),
  };
}

function namespacesOf(given: readonly string[], environment: Environment): readonly string[] {
  for (const name of given) {
    if (!NAMESPACE.test(name))
      throw badFlag('namespaces', given.join(','), `"${name}" is no name of a namespace`);
  }
  if (given.length > 0) return given;
  const one = variable(environment, 'KUBERNETES_NAMESPACE');
  if (one !== undefined && !NAMESPACE.test(one))
    throw new UsageError(`KUBERNETES_NAMESPACE=${one}: this is no name of a namespace`);
  return one === undefined ? [] : [one];
}

function ignoredSources(items: readonly string[]): Set<SourceKind> {
  const kinds = items.map((item) => {
    const kind = SOURCES.get(item.toLowerCase());
    if (!kind)
      throw badFlag('resources-to-ignore', items.join(','), `"${item}" must be configmaps or secrets`);
    return kind;
  });
  const ignored = new Set(kinds);
  if (ignored.size === SOURCES.size)
    throw badFlag(
      'resources-to-ignore',
      items.join(','),
      'nothing would be left to watch: name one of the two',
    );
  return ignored;
}

/** One invalid item voids the list, as in Stakater Reloader; here the log says so at the start. */
function ignoredWorkloads(items: readonly string[], notices: Notice[]): Set<WorkloadKind> {
  const wrong = items.filter((item) => !WORKLOADS.has(item));
  if (wrong.length > 0) {
    notices.push({
      level: 'error',
      message: `--ignored-workload-types=${items.join(',')} is not used: "${wrong[0]}" must be jobs or cronjobs`,
    });
    return new Set();
  }
  return new Set(items.flatMap((item) => WORKLOADS.get(item) ?? []));
}
