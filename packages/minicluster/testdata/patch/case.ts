/**
 * Patches as data: the steps sent to one object. A suite may send them to any API server; the real one's answers are
 * in `recorded.generated.json` (written by `generate/record.ts`), and the tests next to the patch functions compare
 * with them.
 */
export type PatchVerb = 'create' | 'replace' | 'json' | 'merge' | 'strategic' | 'apply';

export interface Step {
  readonly verb: PatchVerb;
  /** `replace` sends the live object with this merged into it. */
  readonly body: unknown;
  readonly manager?: string;
  readonly force?: boolean;
  readonly subresource?: 'status' | 'scale';
}

export interface Scenario {
  readonly name: string;
  readonly kind: keyof typeof RESOURCES;
  readonly steps: readonly Step[];
}

/** The resource path of the objects; all are called `subject`. */
export const RESOURCES = {
  ConfigMap: { apiVersion: 'v1', path: '/api/v1/namespaces/default/configmaps' },
  Service: { apiVersion: 'v1', path: '/api/v1/namespaces/default/services' },
  ServiceAccount: { apiVersion: 'v1', path: '/api/v1/namespaces/default/serviceaccounts' },
  Deployment: { apiVersion: 'apps/v1', path: '/apis/apps/v1/namespaces/default/deployments' },
  Widget: { apiVersion: 'example.org/v1', path: '/apis/example.org/v1/namespaces/default/widgets' },
} as const;

export const SUBJECT = 'subject';

export interface RecordedStep {
  readonly code: number;
  /** The object after the step; absent when it failed. */
  readonly object?: Record<string, unknown>;
  readonly error?: { reason?: string; message?: string; causes?: unknown[] };
}

/** By the name of the scenario. */
export type Recording = Record<string, RecordedStep[]>;

/** Sent to every server before the first step of a Widget. */
export const WIDGET_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 1 },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  plain: { type: 'array', items: { type: 'string' } },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name', 'side'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: {
                        name: { type: 'string' },
                        side: { type: 'string', default: 'left' },
                        count: { type: 'integer' },
                        note: { type: 'string' },
                      },
                    },
                  },
                  frozen: {
                    type: 'object',
                    'x-kubernetes-map-type': 'atomic',
                    properties: { a: { type: 'string' }, b: { type: 'string' } },
                  },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  port: { 'x-kubernetes-int-or-string': true },
                },
              },
              status: {
                type: 'object',
                properties: { phase: { type: 'string' }, count: { type: 'integer' } },
              },
            },
          },
        },
      },
    ],
  },
} as const;

/** A Deployment without any field left for the server to default. */
export function deployment(containers: readonly object[], spec: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: SUBJECT, labels: { app: SUBJECT } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: SUBJECT } },
      template: { metadata: { labels: { app: SUBJECT } }, spec: { containers } },
      ...spec,
    },
  };
}

/** A container without any field left for the server to default. */
export function container(name: string, more: object = {}): object {
  return {
    name,
    image: `${name}:1`,
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    resources: {},
    ...more,
  };
}
