/**
 * The PodConfigMapConfig kind. `crd/podconfigmapconfig_crd.yaml`, its reference page and the TypeScript type of its
 * objects are all derived from it. The operator imports only the type, so that the schema is not loaded at run time.
 */
import { defineKind, Type } from '@reloader/runtime/kind';
import { conditions } from './conditions.ts';
import { count, list, map, text, typed } from './json-schema.ts';
import { PodConfigMapConfigs } from './pod-config-map-config-resource.ts';
import { labelSelector } from './reloader-config/selector.ts';

/** A qualified name: keys that are invalid for labels and annotations are refused here. */
const LABEL_KEY = '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';
/** Kubernetes allows capital letters in the prefix of an annotation, but not of a label. */
const ANNOTATION_KEY =
  '^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';
const key = (description: string, pattern: string) =>
  text(description, { minLength: 1, maxLength: 317, pattern });

const spec = Type.Object(
  {
    // An object from before these rules is kept as it is, and shows its mistakes in the condition ErrorInPodSelector.
    podSelector: Type.Optional(
      labelSelector('Pods of this namespace that get a ConfigMap; absent or empty selects all.'),
    ),
    labelsToInclude: Type.Optional(
      list(
        'Labels of the pod that are copied, as `label_KEY`. A "/" in the key becomes "_".',
        256,
        key('The key of a label.', LABEL_KEY),
      ),
    ),
    annotationsToInclude: Type.Optional(
      list(
        'Annotations of the pod that are copied, as `annotation_KEY`. A "/" in the key becomes "_".',
        256,
        key('The key of an annotation.', ANNOTATION_KEY),
      ),
    ),
    configMapDataTemplate: Type.Optional(
      map(
        'Further data: from key to a template in the syntax of Go (text/template) over the pod: metadata, spec.nodeName, spec.serviceAccountName, spec.containers (name, image), status.phase, status.podIP, status.hostIP.',
        typed<string>({ type: 'string', maxLength: 65_536 }),
        { maxProperties: 128 },
      ),
    ),
  },
  { description: 'Which pods get a ConfigMap, and what stands in it.' },
);

export const PodConfigMapConfigKind = defineKind({
  ...PodConfigMapConfigs,
  shortNames: ['pcmc'],
  description: 'Keeps one ConfigMap with the metadata of each selected pod.',
  specRequired: false,
  spec,
  standardStatus: false,
  statusDescription: 'Written by the controller.',
  status: {
    observedGeneration: Type.Optional(count('The generation that was last carried out completely.')),
    matchedPods: Type.Optional(count('How many pods are selected.')),
    managedConfigMaps: Type.Optional(count('How many ConfigMaps exist for them.')),
    conditions: Type.Optional(
      conditions(
        'Ready: whether every selected pod has its ConfigMap, with the reason where not. While it is not, Stalled ' +
          'waits for somebody to change something, and Reconciling for work to end.',
      ),
    ),
  },
  columns: [
    { name: 'Pods', type: 'integer', jsonPath: '.status.matchedPods' },
    { name: 'ConfigMaps', type: 'integer', jsonPath: '.status.managedConfigMaps' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'ObservedGeneration', type: 'integer', jsonPath: '.status.observedGeneration', priority: 1 },
    {
      name: 'PodSelectorMatchLabels',
      type: 'string',
      jsonPath: '.spec.podSelector.matchLabels',
      priority: 1,
    },
  ],
});

export const podConfigMapConfigCrd = PodConfigMapConfigKind.crd();
