/** The resource of ReloaderConfigs. Separate from the schema, which no running operator needs. */
import type { ResourceType } from '@reloader/runtime';
import type { ReloaderConfigObject } from './object.ts';

export const ReloaderConfigs: ResourceType<ReloaderConfigObject> = {
  group: 'reloader.stakater.com',
  version: 'v1alpha1',
  kind: 'ReloaderConfig',
  plural: 'reloaderconfigs',
  namespaced: true,
};
