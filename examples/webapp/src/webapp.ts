/**
 * The WebApp resource: the fields that users write, and the status that we report. `crd.yaml` is generated from this.
 */
import type { ObjectOf } from '@reloader/runtime';
import { defineKind, mapOf, oneOf, Type } from '@reloader/runtime/kind';

const state = () =>
  Type.Optional(
    oneOf(['Managed', 'Removed', 'Unmanaged'], { description: 'Managed unless said otherwise.' }),
  );

export const WebApps = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'WebApp',
  shortNames: ['wa'],
  description: 'Runs an image behind a Service and an Ingress.',
  spec: Type.Object(
    {
      image: Type.String({ description: 'What to run.', minLength: 1 }),
      replicas: Type.Optional(Type.Integer({ description: 'How many pods.', minimum: 0, default: 1 })),
      port: Type.Optional(
        Type.Integer({ description: 'Where the app listens.', minimum: 1, maximum: 65535, default: 8080 }),
      ),
      config: Type.Optional(mapOf(Type.String(), { description: 'Environment variables of the app.' })),
      secretName: Type.Optional(
        Type.String({ description: 'A Secret whose keys become environment variables too. It must exist.' }),
      ),
      host: Type.Optional(Type.String({ description: 'The host name of the Ingress; any unless given.' })),
      managementStates: Type.Optional(
        Type.Object(
          { ConfigMap: state(), Deployment: state(), Service: state(), Ingress: state() },
          { description: 'Which of the children we look after.' },
        ),
      ),
    },
    { description: 'What is wanted.' },
  ),
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Image', type: 'string', jsonPath: '.spec.image' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type WebApp = ObjectOf<typeof WebApps>;
