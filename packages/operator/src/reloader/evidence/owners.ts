/**
 * Finds the owner of a ConfigMap's content: a controller, or a tool that reapplies it from another place. Pure.
 *
 * In: its metadata. Out: the owner's name, for messages; undefined if only users with command-line tools wrote it. An
 * owner would overwrite our write again, so a false positive costs less than a false negative.
 */
import { controllerOf, type KubernetesObject, type ManagedFieldsEntry } from '@reloader/runtime';
import { type FieldsMap, ownsField } from '../digest/written-at.ts';

/** Names of field managers: GitOps tools, package managers, infrastructure as code. */
const TOOLS: readonly RegExp[] = [
  /^argocd/i,
  /^argo-?cd/i,
  /^kustomize-controller/i,
  /^helm/i,
  /^flux/i,
  /external-?secrets/i,
  /^cert-?manager/i,
  /^trust-?manager/i,
  /^sealed-?secrets/i,
  /^fleet/i,
  /^kapp/i,
  /^config-?sync|^configsync/i,
  /^pulumi/i,
  /^terraform/i,
  /^crossplane/i,
  /^kube-controller-manager$/i,
  /^reflector/i,
  /^kubed|^config-syncer/i,
  // A manager with such a name reconciles in a loop.
  /controller|operator|syncer|reconcil/i,
];

/** Labels and annotations that tools set on the objects that they own. */
const TRACES: readonly (readonly [name: string, value: RegExp, tool: string])[] = [
  ['argocd.argoproj.io/tracking-id', /./, 'Argo CD'],
  ['argocd.argoproj.io/instance', /./, 'Argo CD'],
  ['kustomize.toolkit.fluxcd.io/name', /./, 'Flux'],
  ['helm.toolkit.fluxcd.io/name', /./, 'Flux'],
  ['meta.helm.sh/release-name', /./, 'Helm'],
  ['app.kubernetes.io/managed-by', /^Helm$/i, 'Helm'],
  ['objectset.rio.cattle.io/hash', /./, 'Fleet'],
  ['kapp.k14s.io/app', /./, 'kapp'],
  ['configmanagement.gke.io/managed', /./, 'Config Sync'],
];

export function ownerOf(object: KubernetesObject): string | undefined {
  const controller = controllerOf(object);
  if (controller) return `its controller ${controller.kind} ${controller.name}`;
  const { labels, annotations, managedFields } = object.metadata ?? {};
  const said: Readonly<Record<string, unknown>> = { ...labels, ...annotations };
  for (const [name, value, tool] of TRACES) {
    const found = Object.hasOwn(said, name) ? said[name] : undefined;
    if (typeof found === 'string' && value.test(found)) return tool;
  }
  const entries = Array.isArray(managedFields) ? managedFields : [];
  return entries.find(writesInALoop)?.manager;
}

function writesInALoop({ manager = '', operation, fieldsV1 }: ManagedFieldsEntry): boolean {
  const fields = fieldsV1 as FieldsMap | undefined;
  if (!fields || !(ownsField(fields, 'f:data') || ownsField(fields, 'f:binaryData'))) return false;
  if (/^kubectl/i.test(manager) || manager === 'Reloader') return false;
  // A client that uses server-side apply has the whole content in another place and will apply it again.
  return operation === 'Apply' || TOOLS.some((tool) => tool.test(manager));
}
