/** Short manifests for the cases. */

export const P = 'reloader.stakater.com';

interface Workload {
  readonly kind?: string;
  readonly annotations?: object;
  readonly template?: object;
  readonly labels?: object;
  readonly uses?: readonly { readonly secret?: string; readonly configMap?: string }[];
  readonly name?: string;
  readonly more?: object;
}

export function workload({
  kind = 'Deployment',
  annotations = {},
  template = {},
  labels,
  uses = [{ configMap: 'app-config' }, { secret: 'app-secret' }],
  name = 'web',
  more = {},
}: Workload): object {
  const envFrom = uses.map(({ secret, configMap }) =>
    secret ? { secretRef: { name: secret } } : { configMapRef: { name: configMap } },
  );
  const pod = {
    metadata: { labels: { app: name }, annotations: template },
    spec: { containers: [{ name: 'app', image: 'example.test/app:1', envFrom }] },
  };
  const batch = kind === 'CronJob' || kind === 'Job';
  return {
    apiVersion: batch ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop', annotations, ...(labels && { labels }), ...more },
    spec:
      kind === 'CronJob'
        ? { schedule: '* * * * *', jobTemplate: { spec: { template: pod } } }
        : { selector: { matchLabels: { app: name } }, template: pod },
  };
}

export function source(
  kind: 'Secret' | 'ConfigMap',
  name: string,
  annotations: object = {},
  labels: object = {},
): object {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'shop', annotations, labels } };
}

export function config(spec: unknown, more: object = {}): object {
  return {
    apiVersion: `${P}/v1alpha1`,
    kind: 'ReloaderConfig',
    metadata: { name: 'web', namespace: 'shop' },
    spec,
    ...more,
  };
}

export const BOTH = [source('Secret', 'app-secret'), source('ConfigMap', 'app-config')];
export const TARGETS = [{ kind: 'Deployment', name: 'web' }];
export const WATCHED = { secrets: ['app-secret'] };
export const auto = { [`${P}/auto`]: 'true' };
export const list = (kind: string, value: string): object => ({ [`${kind}.${P}/reload`]: value });

/** A common mistake, and the rule that finds it. */
export interface Mistake {
  readonly what: string;
  readonly rule: string;
  readonly objects: readonly object[];
}

export const namespace = (annotations: object): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', annotations },
});
