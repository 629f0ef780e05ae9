/**
 * The part of a pod template that reload decisions need: which containers use which sources and keys, and how. The
 * rest of the template is dropped, so that a cached workload stays small.
 */
import type { SourceKind } from './source.ts';

export interface SourceUse {
  readonly kind: SourceKind;
  readonly name: string;
  /** Only these keys are used; undefined means all. */
  readonly keys?: readonly string[];
}

export interface VolumeFacts {
  readonly name: string;
  readonly sources: readonly SourceUse[];
}

export interface ContainerFacts {
  readonly name: string;
  readonly mounts: readonly string[];
  /** `valueFrom` of single variables, then `envFrom`. */
  readonly env: readonly SourceUse[];
}

export interface PodFacts {
  readonly volumes: readonly VolumeFacts[];
  readonly containers: readonly ContainerFacts[];
  readonly initContainers: readonly ContainerFacts[];
}

/** The parts of a pod spec that are read. Fields may be missing or malformed: workloads of any CRD are read here. */
interface RawPodSpec {
  volumes?: RawVolume[];
  containers?: RawContainer[];
  initContainers?: RawContainer[];
}

interface RawKeys {
  items?: { key?: string }[];
}

interface RawVolume {
  name?: string;
  configMap?: { name?: string } & RawKeys;
  secret?: { secretName?: string } & RawKeys;
  projected?: {
    sources?: { configMap?: { name?: string } & RawKeys; secret?: { name?: string } & RawKeys }[];
  };
  csi?: { volumeAttributes?: Record<string, string> };
}

interface RawContainer {
  name?: string;
  volumeMounts?: { name?: string }[];
  env?: { valueFrom?: { configMapKeyRef?: RawKeyRef; secretKeyRef?: RawKeyRef } }[];
  envFrom?: { configMapRef?: { name?: string }; secretRef?: { name?: string } }[];
}

interface RawKeyRef {
  name?: string;
  key?: string;
}

export function podFacts(spec: RawPodSpec | undefined): PodFacts {
  return {
    volumes: (spec?.volumes ?? []).map(volumeFacts).filter(({ sources }) => sources.length > 0),
    containers: (spec?.containers ?? []).map(containerFacts),
    initContainers: (spec?.initContainers ?? []).map(containerFacts),
  };
}

function volumeFacts({ name = '', configMap, secret, projected, csi }: RawVolume): VolumeFacts {
  const sources: SourceUse[] = [];
  if (configMap) sources.push(use('ConfigMap', configMap.name, configMap));
  if (secret) sources.push(use('Secret', secret.secretName, secret));
  for (const part of projected?.sources ?? []) {
    if (part.configMap) sources.push(use('ConfigMap', part.configMap.name, part.configMap));
    if (part.secret) sources.push(use('Secret', part.secret.name, part.secret));
  }
  const providerClass = csi?.volumeAttributes?.secretProviderClass;
  if (providerClass) sources.push(use('SecretProviderClass', providerClass, {}));
  return { name, sources: sources.filter((source) => source.name !== '') };
}

function containerFacts({
  name = '',
  volumeMounts = [],
  env = [],
  envFrom = [],
}: RawContainer): ContainerFacts {
  const uses: SourceUse[] = [];
  for (const { valueFrom } of env) {
    const { configMapKeyRef, secretKeyRef } = valueFrom ?? {};
    if (configMapKeyRef) uses.push(single('ConfigMap', configMapKeyRef));
    if (secretKeyRef) uses.push(single('Secret', secretKeyRef));
  }
  for (const { configMapRef, secretRef } of envFrom) {
    if (configMapRef) uses.push(use('ConfigMap', configMapRef.name, {}));
    if (secretRef) uses.push(use('Secret', secretRef.name, {}));
  }
  return {
    name,
    mounts: volumeMounts.map((mount) => mount.name ?? ''),
    env: uses.filter((source) => source.name !== ''),
  };
}

function use(kind: SourceKind, name: string | undefined, { items }: RawKeys): SourceUse {
  const keys = items?.map((item) => item.key ?? '').filter((key) => key !== '');
  return keys && keys.length > 0 ? { kind, name: name ?? '', keys } : { kind, name: name ?? '' };
}

function single(kind: SourceKind, { name = '', key }: RawKeyRef): SourceUse {
  return key ? { kind, name, keys: [key] } : { kind, name };
}
