/** Sources: the three kinds of object whose content can cause a reload. */
export type SourceKind = 'ConfigMap' | 'Secret' | 'SecretProviderClass';

export const SOURCE_KINDS: readonly SourceKind[] = ['ConfigMap', 'Secret', 'SecretProviderClass'];

/** As Stakater writes the kind in env variables, annotations and alerts. */
export const STAKATER_TYPE: Readonly<Record<SourceKind, 'CONFIGMAP' | 'SECRET' | 'SECRETPROVIDERCLASS'>> = {
  ConfigMap: 'CONFIGMAP',
  Secret: 'SECRET',
  SecretProviderClass: 'SECRETPROVIDERCLASS',
};

export interface SourceRef {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
}

export function isSameSource({ kind, namespace, name }: SourceRef, other: SourceRef | undefined): boolean {
  return name === other?.name && namespace === other.namespace && kind === other.kind;
}

/** `namespace/Kind/name`, as `watchedResourceHashes` writes it. */
export function sourceKey({ kind, namespace, name }: SourceRef): string {
  return `${namespace}/${kind}/${name}`;
}
