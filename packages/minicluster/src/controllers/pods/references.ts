/** The ConfigMaps and Secrets that a pod needs before its containers can start, without optional ones. */
import type { LocalApi } from '../../model/local-api.ts';
import { CONFIG_MAPS, SECRETS } from '../kind-refs.ts';
import type { Pod } from '../types.ts';

export interface Missing {
  /** `volume` keeps the pod in ContainerCreating, `env` gives CreateContainerConfigError. */
  readonly where: 'volume' | 'env';
  readonly message: string;
}

export function missingReference(api: LocalApi, pod: Pod): Missing | undefined {
  for (const [kind, name, key] of volumeReferences(pod)) {
    const message = absent(api, pod, kind, name, key);
    if (message) return { where: 'volume', message };
  }
  for (const [kind, name, key] of environmentReferences(pod)) {
    const message = absent(api, pod, kind, name, key);
    if (message) return { where: 'env', message };
  }
  return undefined;
}

type Reference = readonly [kind: 'configmap' | 'secret', name: string, key?: string];

function* volumeReferences(pod: Pod): Iterable<Reference> {
  for (const { configMap, secret } of pod.spec.volumes ?? []) {
    if (configMap && !configMap.optional) yield ['configmap', configMap.name];
    if (secret && !secret.optional) yield ['secret', secret.secretName];
  }
}

function* environmentReferences(pod: Pod): Iterable<Reference> {
  for (const { env = [], envFrom = [] } of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    for (const { configMapRef, secretRef } of envFrom) {
      if (configMapRef && !configMapRef.optional) yield ['configmap', configMapRef.name];
      if (secretRef && !secretRef.optional) yield ['secret', secretRef.name];
    }
    for (const { valueFrom } of env) {
      const { configMapKeyRef, secretKeyRef } = valueFrom ?? {};
      if (configMapKeyRef && !configMapKeyRef.optional)
        yield ['configmap', configMapKeyRef.name, configMapKeyRef.key];
      if (secretKeyRef && !secretKeyRef.optional) yield ['secret', secretKeyRef.name, secretKeyRef.key];
    }
  }
}

function absent(
  api: LocalApi,
  pod: Pod,
  kind: 'configmap' | 'secret',
  name: string,
  key?: string,
): string | undefined {
  const { namespace } = pod.metadata;
  const source = api.get(kind === 'secret' ? SECRETS : CONFIG_MAPS, { namespace, name });
  if (!source) return `${kind} "${name}" not found`;
  if (key === undefined) return undefined;
  const data = { ...(source.binaryData as object | undefined), ...(source.data as object | undefined) };
  const title = kind === 'secret' ? 'Secret' : 'ConfigMap';
  return Object.hasOwn(data, key) ? undefined : `couldn't find key ${key} in ${title} ${namespace}/${name}`;
}
