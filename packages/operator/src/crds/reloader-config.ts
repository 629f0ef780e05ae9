/**
 * The ReloaderConfig definition as data. `crd/reloaderconfig_crd.yaml` is written from it, and a test compares the two.
 *
 * It accepts both shapes that the earlier operator had, and adds `settle`, `batchWindow`, `pausePeriod` in the spec and
 * Jobs as targets.
 */
import type { KubernetesObject, ResourceType } from '@reloader/runtime';
import type { JsonSchema } from './json-schema.ts';
import type { ReloaderConfigObject } from './reloader-config/object.ts';
import { spec } from './reloader-config/spec.ts';
import { status } from './reloader-config/status.ts';

export type * from './reloader-config/object.ts';

export const ReloaderConfigs: ResourceType<ReloaderConfigObject> = {
  group: 'reloader.stakater.com',
  version: 'v1alpha1',
  kind: 'ReloaderConfig',
  plural: 'reloaderconfigs',
  namespaced: true,
};

const openAPIV3Schema: JsonSchema = {
  description: 'Reloads workloads when Secrets and ConfigMaps change, without annotations on the workloads.',
  type: 'object',
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string', description: 'reloader.stakater.com/v1alpha1' },
    kind: { type: 'string', description: 'ReloaderConfig' },
    metadata: { type: 'object' },
    spec,
    status,
  },
};

const conditionColumn = (type: string, field: string): string =>
  `.status.conditions[?(@.type=="${type}")].${field}`;

/** `kubectl get rlc`; those with priority 1 only with `-o wide`. */
const additionalPrinterColumns = [
  { name: 'Strategy', type: 'string', jsonPath: '.spec.reloadStrategy' },
  { name: 'Targets', type: 'string', jsonPath: '.status.targetsFound', description: 'Found of all targets' },
  { name: 'Reloads', type: 'integer', jsonPath: '.status.reloadCount' },
  { name: 'Last Reload', type: 'date', jsonPath: '.status.lastReloadTime' },
  { name: 'Available', type: 'string', jsonPath: conditionColumn('Available', 'status') },
  { name: 'Degraded', type: 'string', jsonPath: conditionColumn('Degraded', 'status') },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  { name: 'Rollout', type: 'string', jsonPath: '.spec.rolloutStrategy', priority: 1 },
  { name: 'Message', type: 'string', jsonPath: conditionColumn('Degraded', 'message'), priority: 1 },
];

export const reloaderConfigCrd: KubernetesObject & { readonly spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${ReloaderConfigs.plural}.${ReloaderConfigs.group}` },
  spec: {
    group: ReloaderConfigs.group,
    scope: 'Namespaced',
    names: {
      kind: ReloaderConfigs.kind,
      listKind: `${ReloaderConfigs.kind}List`,
      plural: ReloaderConfigs.plural,
      singular: 'reloaderconfig',
      // `rc` is also a ReplicationController's and kubectl prefers that: `rlc` is the one to use.
      shortNames: ['rlc', 'rc'],
    },
    versions: [
      {
        name: ReloaderConfigs.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns,
        schema: { openAPIV3Schema },
      },
    ],
  },
};
