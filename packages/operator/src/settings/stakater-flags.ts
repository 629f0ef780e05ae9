/** The flags of Stakater Reloader v1.4, each under its own name, with its own default and meaning. */
import { DEFAULT_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { type FlagTable, flag } from './flag.ts';
import { address, annotationName, bool, choice, exactlyTrue, list, text, url } from './value-types.ts';

const NO_LIST: readonly string[] = [];
const NO_URL: string | undefined = undefined;

const names = DEFAULT_ANNOTATIONS;
const rename = (name: string, of: string) => flag(annotationName, name, `Annotation ${of}.`);

export const STAKATER_FLAGS = {
  'auto-reload-all': flag(
    bool,
    false,
    'Reload every workload when something that it references changes, unless its annotations say otherwise.',
  ),
  'reload-strategy': flag(
    choice('env-vars', 'annotations'),
    'env-vars',
    'How pods are made to restart: by an environment variable on a container or by an annotation of the pod template.',
  ),
  'reload-on-create': flag(exactlyTrue, false, 'Reload also when a Secret or ConfigMap is created.'),
  'reload-on-delete': flag(exactlyTrue, false, 'Reload also when a Secret or ConfigMap is deleted.'),
  'sync-after-restart': flag(
    bool,
    false,
    'Accepted and always on: changes made while the operator was away are found by comparison, without replaying creations.',
  ),
  'is-Argo-Rollouts': flag(exactlyTrue, false, 'Handle Argo Rollouts, too.'),
  'enable-csi-integration': flag(
    bool,
    false,
    'Reload when the CSI driver rotates the content of a SecretProviderClass.',
  ),
  'resources-to-ignore': flag(
    list,
    NO_LIST,
    'configmaps or secrets: changes of that kind reload nothing and are not watched.',
  ),
  'ignored-workload-types': flag(list, NO_LIST, 'jobs, cronjobs or both: never touched.'),
  namespaces: flag(list, NO_LIST, 'Watch only these namespaces, each by itself, with a Role in each.'),
  'namespaces-to-ignore': flag(
    list,
    NO_LIST,
    'Namespaces in which nothing is reloaded. Only where all namespaces are watched.',
  ),
  'namespace-selector': flag(
    list,
    NO_LIST,
    'Only namespaces whose labels match, such as team=a,env in (test,prod); key:value and key:* are read as well. Only where all namespaces are watched.',
  ),
  'resource-label-selector': flag(
    list,
    NO_LIST,
    'Only Secrets and ConfigMaps whose labels match; the API server sends no others.',
  ),
  'webhook-url': flag(
    url,
    NO_URL,
    'Instead of reloading anything, POST {"webhook":"update successful"} to this URL at every change.',
  ),
  'enable-ha': flag(
    bool,
    false,
    'Elect a leader, so that several replicas can run. Needs POD_NAME and POD_NAMESPACE.',
  ),
  'log-format': flag(text, '', 'json for one JSON object a line; text otherwise.'),
  'log-level': flag(
    text,
    'info',
    'trace, debug, info, warning or error (fatal and panic are taken for error).',
  ),
  'enable-pprof': flag(
    bool,
    false,
    'Serve CPU and heap profiles of the JavaScript engine at the address of --pprof-addr.',
  ),
  'pprof-addr': flag(
    address,
    ':6060',
    'Where --enable-pprof listens; of another host than loopback only the port counts.',
  ),
  'auto-annotation': rename(names.auto, 'that opts a workload in to everything it references'),
  'configmap-auto-annotation': rename(names.configMapAuto, 'that does so for ConfigMaps only'),
  'secret-auto-annotation': rename(names.secretAuto, 'that does so for Secrets only'),
  'configmap-annotation': rename(names.configMapReload, 'that names the ConfigMaps of a workload'),
  'secret-annotation': rename(names.secretReload, 'that names the Secrets of a workload'),
  'auto-search-annotation': rename(
    names.search,
    'that opts a workload in to what carries the match annotation',
  ),
  'search-match-annotation': rename(
    names.match,
    'on Secrets and ConfigMaps that the search annotation looks for',
  ),
  'ignore-annotation': rename(names.ignore, 'on Secrets and ConfigMaps that never reload anything'),
  'pause-deployment-annotation': rename(
    names.pausePeriod,
    'that gives how long a Deployment is paused by a reload',
  ),
  'pause-deployment-time-annotation': rename(names.pausedAt, 'in which the start of that pause is kept'),
} satisfies FlagTable;
