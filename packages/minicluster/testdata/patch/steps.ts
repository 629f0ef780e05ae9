/** The steps of ownership scenarios. */
import { type Step, SUBJECT } from './case.ts';

export const config = (data: object | undefined, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: SUBJECT, ...metadata },
  ...(data && { data }),
});
export const widget = (spec: object, more: object = {}): object => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name: SUBJECT },
  spec,
  ...more,
});
export const apply = (manager: string, body: unknown, force = false): Step => ({
  verb: 'apply',
  manager,
  body,
  ...(force && { force }),
});
export const create = (body: unknown, manager = 'creator'): Step => ({ verb: 'create', manager, body });
export const merge = (body: unknown, manager = 'patcher'): Step => ({ verb: 'merge', manager, body });
export const replace = (body: unknown, manager = 'updater'): Step => ({ verb: 'replace', manager, body });
export const status = (body: unknown, manager = 'controller'): Step => ({
  verb: 'merge',
  manager,
  body,
  subresource: 'status',
});

export const lastApplied = (data: object): object => ({
  annotations: {
    'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(config(data, { namespace: 'default' }))}\n`,
  },
});
