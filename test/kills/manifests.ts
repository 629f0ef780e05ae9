/** The fleet as Kubernetes objects. */
import type { Fleet, OptIn, Source, SourceKind, Use, Workload } from './fleet.ts';

const ANNOTATION = 'reloader.stakater.com';
const KEY = 'value';

export interface Manifest {
  /** The path of the collection in which it is created. */
  readonly path: string;
  readonly body: object;
}

export function manifestsOf(fleet: Fleet): Manifest[] {
  const sources = [...fleet.sources, ...fleet.idleSources];
  return [
    ...fleet.namespaces.map((name) => ({ path: '/api/v1/namespaces', body: { metadata: { name } } })),
    ...sources.map((source) => ({ path: collectionOf(source), body: sourceBody(source, fleet) })),
    ...fleet.workloads.map((workload) => ({
      path: `/apis/apps/v1/namespaces/${workload.namespace}/${workload.kind.toLowerCase()}s`,
      body: workloadBody(workload),
    })),
    ...fleet.workloads.filter(hasConfig).map((workload) => ({
      path: `/apis/reloader.stakater.com/v1alpha1/namespaces/${workload.namespace}/reloaderconfigs`,
      body: configBody(workload),
    })),
  ];
}

export const collectionOf = ({ kind, namespace }: Source): string =>
  `/api/v1/namespaces/${namespace}/${kind.toLowerCase()}s`;

/** A merge patch that gives the source this content. */
export const contentPatch = ({ kind }: Source, text: string): object => ({
  data: { [KEY]: encoded(kind, text) },
});

const encoded = (kind: SourceKind, text: string): string =>
  kind === 'Secret' ? Buffer.from(text).toString('base64') : text;

const hasConfig = ({ optIn }: Workload): boolean => optIn.startsWith('config') || optIn === 'both';

function sourceBody(source: Source, { workloads }: Fleet): object {
  const searched = workloads.some(({ optIn, sources }) => optIn === 'search' && sources.includes(source));
  return {
    metadata: { name: source.name, ...(searched && { annotations: { [`${ANNOTATION}/match`]: 'true' } }) },
    ...contentPatch(source, 'initial'),
  };
}

function workloadBody(workload: Workload): object {
  const { name, kind, replicas, optIn, sources } = workload;
  const labels = { app: name };
  return {
    metadata: { name, annotations: annotationsFor(optIn, sources) },
    spec: {
      selector: { matchLabels: labels },
      ...(kind !== 'DaemonSet' && { replicas }),
      ...(kind === 'StatefulSet' && { serviceName: name, podManagementPolicy: 'Parallel' }),
      // Keeps the whole history, so that the highest revision is the number of template changes.
      revisionHistoryLimit: 1000,
      template: { metadata: { labels }, spec: podSpec(workload) },
    },
  };
}

function annotationsFor(optIn: OptIn, sources: readonly Source[]): Record<string, string> {
  const named = (kind: SourceKind) =>
    sources.filter((source) => source.kind === kind).map(({ name }) => name);
  switch (optIn) {
    case 'auto':
    case 'both':
      return { [`${ANNOTATION}/auto`]: 'true' };
    case 'typed-auto':
      return { [`configmap.${ANNOTATION}/auto`]: 'true', [`secret.${ANNOTATION}/auto`]: 'true' };
    case 'search':
      return { [`${ANNOTATION}/search`]: 'true' };
    case 'named':
      return {
        [`configmap.${ANNOTATION}/reload`]: named('ConfigMap').join(','),
        [`secret.${ANNOTATION}/reload`]: named('Secret').join(','),
      };
    default:
      return {};
  }
}

function configBody({ name, kind, optIn, sources }: Workload): object {
  const named = (wanted: SourceKind) =>
    sources.filter((source) => source.kind === wanted).map((source) => source.name);
  return {
    apiVersion: `${ANNOTATION}/v1alpha1`,
    kind: 'ReloaderConfig',
    metadata: { name },
    spec: {
      watchedResources: { configMaps: named('ConfigMap'), secrets: named('Secret') },
      targets: [{ kind, name }],
      ...(optIn === 'config-annotations' && { reloadStrategy: 'annotations' }),
    },
  };
}

function podSpec({ sources, use }: Workload): object {
  const uses = sources.map((source, index) => useOf(source, use, `volume-${index}`));
  const only = <T>(values: (T | undefined)[]): T[] => values.filter((value) => value !== undefined);
  return {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'main',
        image: 'registry.invalid/app',
        env: only(uses.map(({ env }) => env)),
        envFrom: only(uses.map(({ envFrom }) => envFrom)),
        volumeMounts: only(uses.map(({ volume }) => volume)).map(({ name }) => ({
          name,
          mountPath: `/${name}`,
        })),
      },
    ],
    volumes: only(uses.map(({ volume }) => volume)),
  };
}

interface Used {
  readonly env?: object;
  readonly envFrom?: object;
  readonly volume?: { readonly name: string; readonly [source: string]: unknown };
}

function useOf({ kind, name }: Source, use: Use, volumeName: string): Used {
  const isSecret = kind === 'Secret';
  switch (use) {
    case 'env-from':
      return { envFrom: isSecret ? { secretRef: { name } } : { configMapRef: { name } } };
    case 'env-key': {
      const reference = { name, key: KEY };
      const valueFrom = isSecret ? { secretKeyRef: reference } : { configMapKeyRef: reference };
      return { env: { name: `FROM_${kind.toUpperCase()}`, valueFrom } };
    }
    case 'volume':
      return {
        volume: {
          name: volumeName,
          ...(isSecret ? { secret: { secretName: name } } : { configMap: { name } }),
        },
      };
    case 'projected':
      return {
        volume: {
          name: volumeName,
          projected: { sources: [isSecret ? { secret: { name } } : { configMap: { name } }] },
        },
      };
  }
}
