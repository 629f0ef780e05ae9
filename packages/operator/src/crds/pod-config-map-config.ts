/** The PodConfigMapConfig definition as data. `crd/podconfigmapconfig_crd.yaml` is written from it. */
import type { KubernetesObject } from '@reloader/runtime';
import { PodConfigMapConfigs } from '../podconfig/model.ts';
import { conditions } from './conditions.ts';
import { count, type JsonSchema, labels, list, text } from './json-schema.ts';

/** A qualified name: what no label or annotation can be called is refused here. */
const KEY = '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';
const key = (description: string): JsonSchema =>
  text(description, { minLength: 1, maxLength: 317, pattern: KEY });

const spec: JsonSchema = {
  description: 'Which pods get a ConfigMap, and what stands in it.',
  type: 'object',
  properties: {
    // As the API has it, mistakes included: those show as the condition ErrorInPodSelector, and existing objects stay.
    podSelector: {
      description: 'Pods of this namespace that get a ConfigMap; absent or empty selects all.',
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: {
        matchLabels: labels('Labels that must be there with exactly these values.'),
        matchExpressions: list('Further requirements; all of them must hold.', 64, {
          description: 'One requirement on one label.',
          type: 'object',
          required: ['key', 'operator'],
          properties: {
            key: text('The label.', { maxLength: 317 }),
            operator: text('In, NotIn, Exists or DoesNotExist.', { maxLength: 64 }),
            values: list('At least one for `In` and `NotIn`, none otherwise.', 256, {
              type: 'string',
              maxLength: 63,
            }),
          },
        }),
      },
    },
    labelsToInclude: list(
      'Labels of the pod that are copied, as `label_KEY`. A "/" in the key becomes "_".',
      256,
      key('The key of a label.'),
    ),
    annotationsToInclude: list(
      'Annotations of the pod that are copied, as `annotation_KEY`. A "/" in the key becomes "_".',
      256,
      key('The key of an annotation.'),
    ),
    configMapDataTemplate: {
      description:
        'Further data: from key to a template in the syntax of Go (text/template) over the pod: metadata, spec.nodeName, spec.serviceAccountName, spec.containers (name, image), status.phase, status.podIP, status.hostIP.',
      type: 'object',
      maxProperties: 128,
      additionalProperties: { type: 'string', maxLength: 65_536 },
    },
  },
};

const status: JsonSchema = {
  description: 'Written by the controller.',
  type: 'object',
  properties: {
    observedGeneration: count('The generation that was last carried out completely.'),
    matchedPods: count('How many pods are selected.'),
    managedConfigMaps: count('How many ConfigMaps exist for them.'),
    conditions: conditions('Ready: whether every selected pod has its ConfigMap, with the reason where not.'),
  },
};

export const podConfigMapConfigCrd: KubernetesObject & { readonly spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${PodConfigMapConfigs.plural}.${PodConfigMapConfigs.group}` },
  spec: {
    group: PodConfigMapConfigs.group,
    scope: 'Namespaced',
    names: {
      kind: PodConfigMapConfigs.kind,
      listKind: `${PodConfigMapConfigs.kind}List`,
      plural: PodConfigMapConfigs.plural,
      singular: 'podconfigmapconfig',
      shortNames: ['pcmc'],
    },
    versions: [
      {
        name: PodConfigMapConfigs.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Pods', type: 'integer', jsonPath: '.status.matchedPods' },
          { name: 'ConfigMaps', type: 'integer', jsonPath: '.status.managedConfigMaps' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          {
            name: 'ObservedGeneration',
            type: 'integer',
            jsonPath: '.status.observedGeneration',
            priority: 1,
          },
          {
            name: 'PodSelectorMatchLabels',
            type: 'string',
            jsonPath: '.spec.podSelector.matchLabels',
            priority: 1,
          },
        ],
        schema: {
          openAPIV3Schema: {
            description: 'Keeps one ConfigMap with the metadata of each selected pod.',
            type: 'object',
            properties: {
              apiVersion: { type: 'string', description: 'podconfig.example.com/v1alpha1' },
              kind: { type: 'string', description: 'PodConfigMapConfig' },
              metadata: { type: 'object' },
              spec,
              status,
            },
          } satisfies JsonSchema,
        },
      },
    ],
  },
};
