/** The WebApp resource: what people write into it, and what we report back. */
import type { Condition, KubernetesObject, ManagementState, ResourceType } from '@reloader/runtime';
import type { ComponentName } from './children.ts';

export interface WebApp extends KubernetesObject {
  spec: {
    image: string;
    replicas?: number;
    port?: number;
    /** Environment variables of the app. */
    config?: Record<string, string>;
    /** A Secret whose keys become environment variables too. It must exist. */
    secretName?: string;
    /** The host name of the Ingress; any unless given. */
    host?: string;
    /** Managed unless said otherwise. */
    managementStates?: Partial<Record<ComponentName, ManagementState>>;
  };
  status?: {
    phase?: 'Ready' | 'Progressing';
    observedGeneration?: number;
    conditions?: Condition[];
  };
}

export const WebApps: ResourceType<WebApp> = {
  group: 'example.com',
  version: 'v1',
  kind: 'WebApp',
  plural: 'webapps',
  namespaced: true,
};
