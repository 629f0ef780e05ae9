/**
 * Who owns the content of a ConfigMap: a controller, or a tool that writes again what it has somewhere else. Pure.
 *
 * In: its metadata. Out: a name for people; undefined where only people and their command lines wrote it. To write against
 * an owner is a fight that the owner wins, so a false alarm costs less than a miss.
 */
import { controllerOf, type KubernetesObject, type ManagedFieldsEntry } from '@reloader/runtime';
import { type FieldsMap, ownsField } from '../digest/written-at.ts';

/** Field managers by the names that they give themselves: GitOps tools, package managers, infrastructure as code. */
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
  // Whatever calls itself so works in a loop.
  /controller|operator|syncer|reconcil/i,
];

/** What tools leave on the objects that they own, as labels or annotations. */
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
  // Whoever applies on the server's side has the whole content somewhere and will apply it again.
  return operation === 'Apply' || TOOLS.some((tool) => tool.test(manager));
}
