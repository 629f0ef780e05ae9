import type { KubernetesObject, ManagedFieldsEntry } from '@reloader/runtime';
import { expect, it } from 'vitest';
import { ownerOf } from './owners.ts';

const managed = (manager: string, operation = 'Update', field = 'f:data'): ManagedFieldsEntry => ({
  manager,
  operation,
  fieldsV1: { [field]: { 'f:mode': {} } },
});

const object = (metadata: NonNullable<KubernetesObject['metadata']>): KubernetesObject => ({ metadata });
const by = (...managedFields: ManagedFieldsEntry[]): KubernetesObject => object({ name: 'x', managedFields });
const labelled = (name: string, value: string): KubernetesObject =>
  object({ name: 'x', labels: { [name]: value } });
const annotated = (name: string): KubernetesObject => object({ name: 'x', annotations: { [name]: 'y' } });

it.each<[string, KubernetesObject, string | undefined]>([
  ['nobody', object({ name: 'x' }), undefined],
  ['kubectl edit', by(managed('kubectl-edit')), undefined],
  ['kubectl apply', by(managed('kubectl-client-side-apply')), undefined],
  ['kubectl apply --server-side', by(managed('kubectl', 'Apply')), undefined],
  ['a browser', by(managed('Mozilla')), undefined],
  ['the operator itself, which put it back', by(managed('Reloader')), undefined],
  ['Argo CD', by(managed('argocd-controller')), 'argocd-controller'],
  ['Argo CD beside a person', by(managed('kubectl-edit'), managed('argocd-controller')), 'argocd-controller'],
  ['Flux', by(managed('kustomize-controller', 'Apply')), 'kustomize-controller'],
  ['Helm', by(managed('helm')), 'helm'],
  [
    'External Secrets',
    by(managed('externalsecrets.external-secrets.io')),
    'externalsecrets.external-secrets.io',
  ],
  ['an operator of somebody', by(managed('payments-operator')), 'payments-operator'],
  ['a client that uses server-side apply', by(managed('pipeline', 'Apply')), 'pipeline'],
  ['a tool that owns labels only', by(managed('argocd-controller', 'Update', 'f:metadata')), undefined],
  [
    'a tool that owns binary data',
    by(managed('argocd-controller', 'Update', 'f:binaryData')),
    'argocd-controller',
  ],
  ['a trace of Argo CD', annotated('argocd.argoproj.io/tracking-id'), 'Argo CD'],
  ['a trace of Flux', labelled('kustomize.toolkit.fluxcd.io/name', 'apps'), 'Flux'],
  ['a trace of Helm', annotated('meta.helm.sh/release-name'), 'Helm'],
  ['managed by Helm', labelled('app.kubernetes.io/managed-by', 'Helm'), 'Helm'],
  ['managed by hand', labelled('app.kubernetes.io/managed-by', 'hand'), undefined],
  [
    'its controller',
    object({
      name: 'x',
      ownerReferences: [{ apiVersion: 'v1', kind: 'App', name: 'shop', uid: '1', controller: true }],
    }),
    'its controller App shop',
  ],
  [
    'an owner that does not control it',
    object({ name: 'x', ownerReferences: [{ apiVersion: 'v1', kind: 'App', name: 'shop', uid: '1' }] }),
    undefined,
  ],
  ['nonsense', object({ name: 'x', managedFields: 'x' as unknown as ManagedFieldsEntry[] }), undefined],
])('who owns what was written by %s', (_, given, expected) => {
  expect(ownerOf(given)).toBe(expected);
});
