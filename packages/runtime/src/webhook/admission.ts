/** The request and answer of an admission webhook, without the wire format. */
import type { JsonPatchOperation } from '../client/client.ts';
import type { KubernetesObject, StatusCause } from '../model/types.ts';
import { jsonPatchDiff } from './json-patch.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The user of a request. */
export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The operation on the object. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** admission.k8s.io/v1 AdmissionRequest */
export interface AdmissionRequest<T extends KubernetesObject = KubernetesObject> {
  readonly uid: string;
  readonly operation: Operation;
  readonly kind: GroupVersionKind;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly userInfo: UserInfo;
  /** Absent on DELETE. */
  readonly object?: T;
  /** Absent on CREATE. */
  readonly oldObject?: T;
  readonly dryRun?: boolean;
  readonly options?: object;
}

/** The answer to the API server. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** The reason for a refusal, for the user. */
  readonly message?: string;
  /** HTTP code of a refusal. Default 403. */
  readonly code?: number;
  readonly reason?: string;
  readonly causes?: readonly StatusCause[];
  readonly patch?: readonly JsonPatchOperation[];
  /** kubectl prints them. */
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** The context of a handler besides the object. */
export interface AdmissionContext {
  /** Aborts when the API server stops waiting. */
  readonly signal: AbortSignal;
}

/**
 * Decides one request. A refusal is an answer; an exception is a failure of the webhook, for which the
 * configuration's failurePolicy decides.
 */
export type AdmissionHandler = (
  request: AdmissionRequest,
  context: AdmissionContext,
) => Promise<AdmissionAnswer>;

/** Allows a request, optionally with warnings. */
export function allow(warnings?: readonly string[]): AdmissionAnswer {
  return { allowed: true, ...(warnings && { warnings }) };
}

/** Denies a request, with a message for the user. */
export function deny(message: string, warnings?: readonly string[]): AdmissionAnswer {
  return { allowed: false, message, code: 403, reason: 'Forbidden', ...(warnings && { warnings }) };
}

/** A refusal that names fields, as the API server's own validation does (422 Invalid). */
export function invalid(
  request: AdmissionRequest,
  causes: readonly { field: string; message: string }[],
): AdmissionAnswer {
  const { kind, group } = request.kind;
  const what = group ? `${kind}.${group}` : kind;
  const list = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  return {
    allowed: false,
    code: 422,
    reason: 'Invalid',
    message: `${what} "${request.name ?? ''}" is invalid: ${list}`,
    causes: causes.map(({ field, message }) => ({ reason: 'FieldValueInvalid', field, message })),
  };
}

// biome-ignore lint/suspicious/noConfusingVoidType: a check that returns nothing allows the request
type Verdict = AdmissionAnswer | void;
type Checked<A extends readonly unknown[]> = (
  ...args: [...A, AdmissionContext]
) => Verdict | Promise<Verdict>;

/** One function per operation; an operation without a function is allowed. Returning nothing allows as well. */
export interface Validator<T extends KubernetesObject> {
  readonly create?: Checked<[object: T, request: AdmissionRequest<T>]>;
  readonly update?: Checked<[object: T, old: T, request: AdmissionRequest<T>]>;
  readonly delete?: Checked<[old: T, request: AdmissionRequest<T>]>;
}

/** An admission handler that validates objects and returns the mistakes that it finds. */
export function validator<T extends KubernetesObject>(checks: Validator<T>): AdmissionHandler {
  return async (untyped, context) => {
    // The webhook configuration's rules select the kind; there is no type to check at run time.
    const request = untyped as AdmissionRequest<T>;
    return (await verdict(checks, request, context)) ?? allow();
  };
}

async function verdict<T extends KubernetesObject>(
  checks: Validator<T>,
  request: AdmissionRequest<T>,
  context: AdmissionContext,
): Promise<Verdict> {
  const { operation, object, oldObject } = request;
  if (operation === 'CREATE' && object) return await checks.create?.(object, request, context);
  if (operation === 'UPDATE' && object && oldObject)
    return await checks.update?.(object, oldObject, request, context);
  if (operation === 'DELETE' && oldObject) return await checks.delete?.(oldObject, request, context);
  return undefined;
}

/** Sets defaults by editing the draft; the difference becomes the patch. */
export type Defaulter<T extends KubernetesObject> = (
  draft: T,
  request: AdmissionRequest<T>,
  context: AdmissionContext,
) => void | Promise<void>;

/** An admission handler that sets defaults; its changes become a JSON Patch. */
export function defaulter<T extends KubernetesObject>(fill: Defaulter<T>): AdmissionHandler {
  return async (untyped, context) => {
    const request = untyped as AdmissionRequest<T>;
    const { operation, object } = request;
    if (!object || (operation !== 'CREATE' && operation !== 'UPDATE')) return allow();
    const draft = structuredClone(object);
    await fill(draft, request, context);
    const patch = jsonPatchDiff(object, draft);
    return patch.length > 0 ? { allowed: true, patch } : allow();
  };
}
