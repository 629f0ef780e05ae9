/** The desired state of a WebApp's four children. Unset fields are left to the API server's defaults. */
import { createHash } from 'node:crypto';
import { kinds, type ResourceType } from '@reloader/runtime';
import type { WebApp } from './webapp.ts';

export type ComponentName = 'ConfigMap' | 'Deployment' | 'Service' | 'Ingress';
export type Draft = kinds.PlainObject & kinds.ConfigMapObject;

export interface Child {
  readonly name: ComponentName;
  readonly type: ResourceType<Draft>;
  /** Edits a draft: the live object, or an empty one. */
  readonly fill: (draft: Draft, app: WebApp) => void;
}

/** In order of dependency. */
export const CHILDREN: readonly Child[] = [
  {
    name: 'ConfigMap',
    type: kinds.ConfigMap,
    fill(draft, { spec }) {
      draft.data = spec.config ?? {};
    },
  },
  {
    name: 'Deployment',
    type: kinds.Deployment,
    fill(draft, { spec, metadata }) {
      const { image, replicas = 1, port = 8080, config = {}, secretName } = spec;
      const labels = { app: metadata?.name };
      // Pods read their configuration only at start, so a changed one must create new pods.
      const hash = createHash('sha256').update(JSON.stringify(config)).digest('hex').slice(0, 16);
      const envFrom = [
        { configMapRef: { name: metadata?.name } },
        ...(secretName ? [{ secretRef: { name: secretName } }] : []),
      ];
      draft.spec = {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { 'example.com/config-hash': hash } },
          spec: { containers: [{ name: 'app', image, ports: [{ containerPort: port }], envFrom }] },
        },
      };
    },
  },
  {
    name: 'Service',
    type: kinds.Service,
    fill(draft, { spec, metadata }) {
      const ports = [{ name: 'http', port: 80, targetPort: spec.port ?? 8080 }];
      draft.spec = { selector: { app: metadata?.name }, ports };
    },
  },
  {
    name: 'Ingress',
    type: kinds.Ingress,
    fill(draft, { spec, metadata }) {
      const backend = { service: { name: metadata?.name, port: { name: 'http' } } };
      const http = { paths: [{ path: '/', pathType: 'Prefix', backend }] };
      draft.spec = { rules: [spec.host ? { host: spec.host, http } : { http }] };
    },
  },
];
