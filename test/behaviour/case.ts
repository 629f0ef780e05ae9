/**
 * A behaviour case: requests in order, each compared with a real API server's answer to the same request. In paths,
 * queries and bodies `{ns}` stands for a namespace that only this case uses.
 */
export interface RequestStep {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Default application/json; for a PATCH one of the short names below or a full type. */
  readonly type?: 'json' | 'merge' | 'strategic' | 'apply' | (string & {});
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Compares only status and headers, not the body (it always differs, e.g. a version). */
  readonly bodyIgnored?: true;
}

/** Opens a watch, carries out the steps once it is open, and reads this many events. */
export interface WatchStep {
  readonly watch: string;
  readonly accept?: string;
  readonly steps?: readonly RequestStep[];
  /** How many events to read, not counting bookmarks unless they end the initial events. */
  readonly events: number;
}

/** Repeats the request until the path in the answer's body has this value (controllers take a moment). */
export interface UntilStep {
  readonly until: string;
  readonly gone?: true;
  readonly field?: string;
  readonly equals?: unknown;
}

export type Step = RequestStep | WatchStep | UntilStep;

export interface BehaviourCase {
  readonly name: string;
  readonly steps: readonly Step[];
}

export const get = (path: string, options: Partial<RequestStep> = {}): RequestStep => ({
  method: 'GET',
  path,
  ...options,
});
export const post = (path: string, body: unknown, options: Partial<RequestStep> = {}): RequestStep => ({
  method: 'POST',
  path,
  body,
  ...options,
});
export const put = (path: string, body: unknown, options: Partial<RequestStep> = {}): RequestStep => ({
  method: 'PUT',
  path,
  body,
  ...options,
});
export const patch = (
  path: string,
  type: NonNullable<RequestStep['type']>,
  body: unknown,
  options: Partial<RequestStep> = {},
): RequestStep => ({ method: 'PATCH', path, type, body, ...options });
export const del = (path: string, body?: unknown, options: Partial<RequestStep> = {}): RequestStep => ({
  method: 'DELETE',
  path,
  ...(body !== undefined && { body }),
  ...options,
});

export const core = (plural: string, name?: string): string =>
  `/api/v1/namespaces/{ns}/${plural}${name ? `/${name}` : ''}`;
export const apps = (plural: string, name?: string): string =>
  `/apis/apps/v1/namespaces/{ns}/${plural}${name ? `/${name}` : ''}`;

export const configMap = (name: string, data?: Record<string, string>, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...(data && { data }),
});

export const deployment = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, ...metadata },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'registry.test/app:1' }] },
    },
    ...spec,
  },
});
