/** The kinds as a server without storage, requests or field management: just enough to run the cases. */

import type { KubeObject } from '../model/object.ts';
import { invalid, StatusError } from '../model/status.ts';
import { readCustom } from '../schema/custom.ts';
import { readTyped, unknownFieldWarnings } from '../schema/typed.ts';
import type { Answer, Send } from './cases.test.helper.ts';
import type { Kind, WriteContext } from './kind.ts';
import {
  applyDefaults,
  prepareCreate,
  prepareStatusUpdate,
  prepareUpdate,
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
} from './strategy.ts';
import { toTable } from './table.ts';

/** As for a server: cases give times as ages. */
const NOW = Date.now();
const UID = '00000000-1111-2222-3333-444444444444';

/** Objects that exist before a case starts: the API server's own address is taken. */
const kubernetesService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    uid: 'other',
    resourceVersion: '1',
    creationTimestamp: '',
  },
  spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] },
} satisfies KubeObject;

const context: WriteContext = {
  now: NOW,
  list: ({ plural }) => (plural === 'services' ? [kubernetesService] : []),
  random: () => 0.5,
};

/** A server that holds one object: the last one created. */
export function kindsOnly(kindOf: (body: Record<string, unknown>) => Kind): Send {
  let stored: KubeObject | undefined;
  return async (method, path, body = {}) => {
    if (method === 'DELETE') return { code: 200, body: {}, warnings: [] };
    if (method === 'GET') {
      const [apiVersion = '', kind = ''] = [stored?.apiVersion, stored?.kind];
      const table = toTable(kindOf({ apiVersion, kind }), stored ? [stored] : [], NOW);
      return { code: 200, body: { ...table }, warnings: [] };
    }
    const kind = kindOf(body);
    try {
      const old = method === 'PUT' ? stored : undefined;
      const object = write(kind, body, path, old);
      stored = object;
      const warnings = [
        ...(kind.deprecationWarning ? [kind.deprecationWarning] : []),
        ...unknownFieldWarnings(read(kind, body).unknown),
        ...(kind.warnings?.(object, old) ?? []),
      ];
      return { code: old ? 200 : 201, body: viewed(kind, object), warnings };
    } catch (error) {
      if (error instanceof StatusError) {
        return { code: error.body.code, body: { ...error.body }, warnings: [] } satisfies Answer;
      }
      throw error;
    }
  };
}

const read = (kind: Kind, body: Record<string, unknown>): { object: object; unknown: string[] } =>
  kind.definition ? readTyped(body, kind) : readCustom(body, kind, kind.schema);

/** Converts to the stored form and back. */
const viewed = (kind: Kind, object: KubeObject): KubeObject =>
  kind.storage ? kind.storage.fromStored(kind.storage.toStored(object)) : object;

function write(
  kind: Kind,
  body: Record<string, unknown>,
  path: string,
  old: KubeObject | undefined,
): KubeObject {
  const object = structuredClone(read(kind, body).object) as unknown as KubeObject;
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  object.metadata ??= {} as KubeObject['metadata'];
  if (kind.namespaced && namespace) object.metadata.namespace = namespace;
  applyDefaults(kind, object);
  if (old) return update(kind, object, old, path.endsWith('/status'));
  object.metadata.uid = UID;
  object.metadata.creationTimestamp = new Date(NOW).toISOString().replace(/\.\d+Z$/, 'Z');
  object.metadata.resourceVersion = '1';
  prepareCreate(kind, object, context);
  refuse(kind, object, validateCreate(kind, object));
  return object;
}

function update(kind: Kind, object: KubeObject, old: KubeObject, status: boolean): KubeObject {
  if (status) {
    prepareStatusUpdate(kind, object, old, context);
    refuse(kind, object, validateStatusUpdate(kind, object, old));
  } else {
    prepareUpdate(kind, object, old, context);
    refuse(kind, object, validateUpdate(kind, object, old));
  }
  return object;
}

function refuse(kind: Kind, object: KubeObject, errors: ReturnType<typeof validateCreate>): void {
  if (errors.length > 0) throw invalid(kind, object.metadata.name, errors);
}
