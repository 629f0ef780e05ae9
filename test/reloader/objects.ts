/** Manifests as users write them, short enough that a scenario is easy to read. */
import { PREFIX } from './names.ts';

export interface Use {
  readonly secret?: string;
  readonly configMap?: string;
  /** A SecretProviderClass, by a CSI volume. */
  readonly providerClass?: string;
  /** How the pod uses it; `envFrom` unless given. */
  readonly via?: 'envFrom' | 'env' | 'volume' | 'projected' | 'init' | 'init-volume';
  readonly key?: string;
  /** Index of the container that uses it. */
  readonly container?: number;
}

export interface WorkloadOptions {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Short names (`auto`, `secret/reload`) are completed by `names.ts`. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly templateAnnotations?: Readonly<Record<string, string>>;
  readonly uses?: readonly Use[];
  readonly replicas?: number;
  /** Number of containers. */
  readonly containers?: number;
  /** Merged over the workload's spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** `auto` becomes `reloader.stakater.com/auto`; `secret/reload` becomes `secret.reloader.stakater.com/reload`. */
export function fullNames(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).map(([name, value]) => [fullName(name), value]));
}

export function fullName(name: string): string {
  if (name.includes('.')) return name;
  const [domain, rest] = name.split('/');
  return rest === undefined ? `${PREFIX}/${name}` : `${domain}.${PREFIX}/${rest}`;
}

export function workload(kind: string, name: string, namespace: string, options: WorkloadOptions): Manifest {
  const template = podTemplate(name, options, kind === 'CronJob' || kind === 'Job');
  return {
    ...apiVersionOf(kind),
    kind,
    metadata: {
      name,
      namespace,
      ...(options.labels && { labels: { ...options.labels } }),
      annotations: fullNames(options.annotations),
    },
    spec: { ...specOf(kind, name, template, options.replicas ?? 1), ...options.spec },
  };
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

function apiVersionOf(kind: string): { apiVersion: string } {
  const versions: Record<string, string> = {
    CronJob: 'batch/v1',
    Job: 'batch/v1',
    Rollout: 'argoproj.io/v1alpha1',
    DeploymentConfig: 'apps.openshift.io/v1',
  };
  return { apiVersion: versions[kind] ?? 'apps/v1' };
}

function specOf(kind: string, name: string, template: object, replicas: number): Record<string, unknown> {
  const selector = { matchLabels: { app: name } };
  switch (kind) {
    case 'DaemonSet':
      return { selector, template };
    case 'StatefulSet':
      return { selector, template, replicas, serviceName: name };
    case 'CronJob':
      return { schedule: '0 3 1 1 *', jobTemplate: { spec: { template } } };
    case 'Job':
      return { template };
    case 'DeploymentConfig':
      return { selector: { app: name }, template, replicas };
    default:
      return { selector, template, replicas };
  }
}

function podTemplate(name: string, options: WorkloadOptions, runsOnce: boolean): object {
  const uses = options.uses ?? [];
  const count = options.containers ?? 1;
  const containers = Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? 'main' : `side-${index}`,
    image: 'registry.test/app:1',
    ...parts(uses.filter((use) => !isInit(use) && (use.container ?? 0) === index)),
  }));
  const [first] = containers;
  if (first && options.env) Object.assign(first, { env: [...(first.env ?? []), ...options.env] });
  const init = uses.filter(isInit);
  const volumes = uses.flatMap(volumeOf);
  return {
    metadata: {
      labels: { app: name },
      ...(options.templateAnnotations && { annotations: fullNames(options.templateAnnotations) }),
    },
    spec: {
      ...(runsOnce && { restartPolicy: 'Never' }),
      ...(init.length > 0 && {
        initContainers: [{ name: 'prepare', image: 'registry.test/init:1', ...parts(init) }],
      }),
      containers,
      ...(volumes.length > 0 && { volumes }),
    },
  };
}

const isInit = ({ via }: Use): boolean => via === 'init' || via === 'init-volume';
const volumeName = ({ secret, configMap, providerClass }: Use): string =>
  providerClass ? `csi-${providerClass}` : secret ? `secret-${secret}` : `configmap-${configMap}`;

interface Parts {
  env?: object[];
  envFrom?: object[];
  volumeMounts?: object[];
}

function parts(uses: readonly Use[]): Parts {
  const found: Parts = {};
  for (const use of uses) {
    const { secret, configMap, providerClass, key = 'key' } = use;
    const via = providerClass ? 'volume' : (use.via ?? 'envFrom');
    if (via === 'env') {
      const reference = { name: secret ?? configMap, key, optional: true };
      const valueFrom = secret ? { secretKeyRef: reference } : { configMapKeyRef: reference };
      found.env = [
        ...(found.env ?? []),
        { name: `V_${key}`.toUpperCase().replace(/[^A-Z0-9_]/g, '_'), valueFrom },
      ];
    } else if (via === 'envFrom' || via === 'init') {
      const reference = { name: secret ?? configMap, optional: true };
      found.envFrom = [
        ...(found.envFrom ?? []),
        secret ? { secretRef: reference } : { configMapRef: reference },
      ];
    } else {
      const name = volumeName(use);
      found.volumeMounts = [...(found.volumeMounts ?? []), { name, mountPath: `/mnt/${name}` }];
    }
  }
  return found;
}

function volumeOf(use: Use): object[] {
  const { secret, configMap, providerClass, via } = use;
  const name = volumeName(use);
  if (providerClass) {
    const volumeAttributes = { secretProviderClass: providerClass };
    return [{ name, csi: { driver: 'secrets-store.csi.k8s.io', readOnly: true, volumeAttributes } }];
  }
  if (via === 'volume' || via === 'init-volume') {
    const source = secret
      ? { secret: { secretName: secret, optional: true } }
      : { configMap: { name: configMap, optional: true } };
    return [{ name, ...source }];
  }
  if (via === 'projected') {
    const source = secret
      ? { secret: { name: secret, optional: true } }
      : { configMap: { name: configMap, optional: true } };
    return [{ name, projected: { sources: [source] } }];
  }
  return [];
}
