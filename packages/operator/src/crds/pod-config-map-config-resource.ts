/** The resource of PodConfigMapConfigs. Separate from the schema, which no running operator needs. */
export const PodConfigMapConfigs = {
  group: 'podconfig.example.com',
  version: 'v1alpha1',
  kind: 'PodConfigMapConfig',
  plural: 'podconfigmapconfigs',
  namespaced: true,
} as const;
