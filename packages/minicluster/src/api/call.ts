/** One authorized request to a resource, with everything that verbs need. */
import type { Authenticator } from '../auth/authenticator.ts';
import { escalationGuard } from '../auth/escalation.ts';
import type { Rbac } from '../auth/rbac.ts';
import type { User } from '../auth/user.ts';
import type { Kind } from '../kinds/index.ts';
import type { KubeObject } from '../model/object.ts';
import { badRequest, type FieldError, invalid } from '../model/status.ts';
import { managerName } from '../patch/managed-fields.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Replica } from '../storage/replica.ts';
import type { Cluster } from './cluster.ts';
import type { WriteOptions } from './operations/write-options.ts';

export interface ResourceCall {
  readonly cluster: Cluster;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly kind: Kind;
  readonly user: User;
  readonly replica: Replica;
  readonly authenticator: Authenticator;
  readonly rbac: Rbac;
  /** Texts for the `Warning` header of the answer. */
  readonly warnings: string[];
  /** Sees an object just before it is stored, and may change it: admission webhooks. */
  readonly review?: (object: KubeObject, live: KubeObject | undefined) => void;
  /** Whether the user may also do something else, for verbs that imply another. */
  readonly authorize: (attributes: Partial<RequestInfo>) => void;
}

export type Verb = (call: ResourceCall) => ApiResponse | Promise<ApiResponse>;

/** A request without a resource: discovery, OpenAPI, health. */
export interface NonResourceCall {
  readonly cluster: Cluster;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: User;
}

/** The object or collection in the path. */
export function refOf({ info, kind }: ResourceCall): { namespace?: string; name: string } {
  return { ...(kind.namespaced && { namespace: info.namespace }), name: info.name };
}

const OPTION_KINDS: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  delete: 'DeleteOptions',
  deletecollection: 'DeleteOptions',
};
const FIELD_VALIDATION = ['', 'Ignore', 'Strict', 'Warn'];
const LONGEST_MANAGER = 128;

/** The write options in the query. Throws 422 for invalid values. */
export function readWriteOptions(call: ResourceCall): WriteOptions {
  const { query, info } = call;
  const fieldManager = query.get('fieldManager') ?? '';
  const errors = [
    ...dryRunErrors(query.getAll('dryRun')),
    ...managerErrors(fieldManager),
    ...fieldValidationErrors(query.get('fieldValidation') ?? ''),
  ];
  if (errors.length > 0) {
    throw invalid({ group: 'meta.k8s.io', kind: OPTION_KINDS[info.verb] ?? 'UpdateOptions' }, '', errors);
  }
  return {
    manager: managerName(fieldManager || undefined, call.request.headers['user-agent']),
    dryRun: isDryRun(query.getAll('dryRun')),
    subresource: info.subresource,
    warn: (text) => void call.warnings.push(text),
    admit: admissionOf(call),
  };
}

/** The privilege escalation check comes first; then webhooks review the object. */
function admissionOf(call: ResourceCall): WriteOptions['admit'] {
  const guard = escalationGuard(call);
  const { review } = call;
  if (!guard || !review) return guard ?? review;
  return (object, live) => {
    guard(object, live);
    review(object, live);
  };
}

export const isDryRun = (values: readonly string[]): boolean => values.includes('All');

export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  return [
    {
      reason: 'FieldValueNotSupported',
      field: 'dryRun',
      message: `Unsupported value: ${goStrings(values)}: supported values: "All"`,
    },
  ];
}

/** A list of strings, formatted as in the server's messages. */
const goStrings = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(',')}]`;

function managerErrors(manager: string): FieldError[] {
  if (manager.length > LONGEST_MANAGER) {
    return [
      {
        reason: 'FieldValueTooLong',
        field: 'fieldManager',
        message: `Too long: may not be more than ${LONGEST_MANAGER} bytes`,
      },
    ];
  }
  const position = [...manager].findIndex((char) => UNPRINTABLE.test(char));
  if (position < 0) return [];
  const code = (manager.codePointAt(position) ?? 0).toString(16);
  const shown = manager.replace(UNPRINTABLE, (char) => `\\x${hex(char.charCodeAt(0), 2)}`);
  return [
    {
      reason: 'FieldValueInvalid',
      field: 'fieldManager',
      message: `Invalid value: "${shown}": invalid character U+${code.toUpperCase().padStart(4, '0')} (at position ${position})`,
    },
  ];
}

const UNPRINTABLE = /\p{Cc}/u;
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

function fieldValidationErrors(value: string): FieldError[] {
  if (FIELD_VALIDATION.includes(value)) return [];
  return [
    {
      reason: 'FieldValueNotSupported',
      field: 'fieldValidation',
      message: `Unsupported value: "${value}": supported values: ${FIELD_VALIDATION.map((name) => `"${name}"`).join(', ')}`,
    },
  ];
}

/** The fields in which a body must match the path. Fills in omitted ones. */
export function matchPath(call: ResourceCall, metadata: { name?: string; namespace?: string }): void {
  const { info, kind } = call;
  if (info.name && info.verb !== 'create') {
    if (!metadata.name) {
      throw badRequest(
        `the name of the object (${info.name} based on URL) was undeterminable: name must be provided`,
      );
    }
    if (metadata.name !== info.name) {
      throw badRequest(
        `the name of the object (${metadata.name}) does not match the name on the URL (${info.name})`,
      );
    }
  }
  if (!kind.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== info.namespace) throw badRequest(WRONG_NAMESPACE);
  metadata.namespace = info.namespace;
}

const WRONG_NAMESPACE =
  'the namespace of the provided object does not match the namespace sent on the request';
