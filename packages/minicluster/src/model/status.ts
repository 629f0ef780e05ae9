/** Errors in the API server's words: a metav1.Status that is thrown and becomes the answer. */

/** An error of one field, as field.Error in Kubernetes: becomes a cause of a 422. */
export interface FieldError {
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueNotFound'
    | 'FieldValueTypeInvalid';
  readonly field: string;
  /** The text after the path, as the server prints it (`Invalid value: "x": must be …`). */
  readonly message: string;
}

export interface StatusBody {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string; resourceVersion?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: { reason?: string; message?: string; field?: string }[];
    retryAfterSeconds?: number;
  };
  code: number;
}

/** An error in the server's own words: thrown by a handler, it becomes a `Status` answer. */
export class StatusError extends Error {
  override name = 'StatusError';
  readonly body: StatusBody;

  constructor(code: number, reason: string, message: string, details?: StatusBody['details']) {
    super(message);
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code,
    };
  }
}

/** `plural.group`, as in messages. */
export interface QualifiedResource {
  readonly group: string;
  readonly resource: string;
}

function qualified({ group, resource }: QualifiedResource): string {
  return group ? `${resource}.${group}` : resource;
}

function objectDetails({ group, resource }: QualifiedResource, name: string): StatusBody['details'] {
  return { ...(name && { name }), ...(group && { group }), kind: resource };
}

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message);

export const unauthorized = (message = 'Unauthorized'): StatusError =>
  new StatusError(401, 'Unauthorized', message);

export const forbidden = (resource: QualifiedResource, name: string, why: string): StatusError =>
  new StatusError(
    403,
    'Forbidden',
    `${qualified(resource)}${name ? ` "${name}"` : ''} is forbidden: ${why}`,
    objectDetails(resource, name),
  );

export const notFound = (resource: QualifiedResource, name: string): StatusError =>
  new StatusError(
    404,
    'NotFound',
    `${qualified(resource)} "${name}" not found`,
    objectDetails(resource, name),
  );

export const alreadyExists = (resource: QualifiedResource, name: string): StatusError =>
  new StatusError(
    409,
    'AlreadyExists',
    `${qualified(resource)} "${name}" already exists`,
    objectDetails(resource, name),
  );

export const conflict = (resource: QualifiedResource, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    objectDetails(resource, name),
  );

/** A path with a resource that is not served. */
export const noSuchResource = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = (): StatusError =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );

export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message);

/** 422 for an object of this kind with these invalid fields. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  // The summary contains each message once; the causes keep all.
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const summary = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const title = kind.group ? `${kind.kind}.${kind.group}` : kind.kind;
  return new StatusError(422, 'Invalid', `${title} "${name}" is invalid: ${summary}`, {
    ...(name && { name }),
    ...(kind.group && { group: kind.group }),
    kind: kind.kind,
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  });
}

/** An internal server error. */
export const internalError = (message: string): StatusError =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

/** 501 with the reason: a feature that a real server has and this one does not. */
export const notImplemented = (what: string): StatusError =>
  new StatusError(501, 'NotImplemented', `minicluster does not implement ${what}`);
