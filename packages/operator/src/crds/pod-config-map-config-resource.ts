/** Where PodConfigMapConfigs are served. Apart from their schema, which no running operator needs. */
export const PodConfigMapConfigs = {
  group: 'podconfig.example.com',
  version: 'v1alpha1',
  kind: 'PodConfigMapConfig',
  plural: 'podconfigmapconfigs',
  namespaced: true,
} as const;
