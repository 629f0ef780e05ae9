/** Authorization reviews: `kubectl auth can-i`, and servers that ask for their users. */
import { type Decision, missingRoles } from '../../auth/rbac.ts';
import type { Attributes } from '../../auth/rules.ts';
import type { User } from '../../auth/user.ts';
import type { KubeObject } from '../../model/object.ts';
import { badRequest, type FieldError, invalid, StatusError } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import { parseBody } from '../body.ts';
import { type ResourceCall, readWriteOptions } from '../call.ts';
import { decodeObject } from '../decode.ts';
import { trackFields } from '../operations/write-options.ts';
import { respond } from '../respond.ts';

interface AccessSpec {
  resourceAttributes?: {
    namespace?: string;
    verb?: string;
    group?: string;
    version?: string;
    resource?: string;
    subresource?: string;
    name?: string;
  };
  nonResourceAttributes?: { path?: string; verb?: string };
  user?: string;
  groups?: string[];
  uid?: string;
  extra?: Record<string, string[]>;
}

export function reviewSelfAccess(call: ResourceCall): ApiResponse {
  const { review, spec } = readReview(call);
  checkSpec(spec, false);
  return answer(call, review, call.rbac.authorize(call.user, attributesOf(spec)));
}

export function reviewSubjectAccess(call: ResourceCall): ApiResponse {
  const { review, spec } = readReview(call);
  checkSpec(spec, true);
  return answer(call, review, call.rbac.authorize(subject(spec), attributesOf(spec)));
}

export function reviewLocalAccess(call: ResourceCall): ApiResponse {
  const { review, spec } = readReview(call);
  checkSpec(spec, true);
  const asked = spec.resourceAttributes?.namespace ?? '';
  if (asked !== call.info.namespace) {
    const error = fieldError(
      'FieldValueInvalid',
      'spec.resourceAttributes.namespace',
      `Invalid value: ${JSON.stringify(asked)}: must match metadata.namespace`,
    );
    throw invalidReview([error]);
  }
  review.metadata.namespace = call.info.namespace;
  return answer(call, review, call.rbac.authorize(subject(spec), attributesOf(spec)));
}

export function reviewRules(call: ResourceCall): ApiResponse {
  const review = decodeObject(call, parseBody(call.request, call.kind.kind));
  const { namespace } = (review.spec ?? {}) as { namespace?: string };
  if (!namespace) throw badRequest('no namespace on request');
  const { rules, missing } = call.rbac.rulesFor(call.user, namespace);
  const status = {
    resourceRules: rules
      .filter((rule) => rule.resources?.length)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        apiGroups: apiGroups ?? [],
        resources,
        ...(resourceNames?.length && { resourceNames }),
      })),
    nonResourceRules: rules
      .filter((rule) => rule.nonResourceURLs?.length)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    ...(missing.length > 0 && { evaluationError: missingRoles(missing) }),
  };
  return respond(call, 201, { ...review, spec: {}, status });
}

function readReview(call: ResourceCall): { review: KubeObject; spec: AccessSpec } {
  const review = decodeObject(call, parseBody(call.request, call.kind.kind));
  trackFields(call.cluster, call.kind, review, undefined, readWriteOptions(call));
  return { review, spec: (review.spec ?? {}) as AccessSpec };
}

function answer(call: ResourceCall, review: KubeObject, { allowed, reason }: Decision): ApiResponse {
  return respond(call, 201, { ...review, status: { allowed, ...(reason && { reason }) } });
}

const subject = ({ user = '', groups = [], uid, extra }: AccessSpec): User => ({
  name: user,
  groups,
  ...(uid && { uid }),
  ...(extra && { extra }),
});

function attributesOf({ resourceAttributes: wanted, nonResourceAttributes: path }: AccessSpec): Attributes {
  return {
    isResource: path === undefined,
    verb: wanted?.verb ?? path?.verb ?? '',
    path: path?.path ?? '',
    group: wanted?.group ?? '',
    version: wanted?.version ?? '',
    resource: wanted?.resource ?? '',
    subresource: wanted?.subresource ?? '',
    namespace: wanted?.namespace ?? '',
    name: wanted?.name ?? '',
  };
}

/** The server omits the kind in these. */
function invalidReview(errors: readonly FieldError[]): StatusError {
  const { message, body } = invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
  return new StatusError(422, 'Invalid', message, {
    group: 'authorization.k8s.io',
    causes: body.details?.causes ?? [],
  });
}

const fieldError = (reason: FieldError['reason'], field: string, message: string): FieldError => ({
  reason,
  field,
  message,
});

function checkSpec(spec: AccessSpec, withSubject: boolean): void {
  const errors: FieldError[] = [];
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const both = 'cannot be specified in combination with resourceAttributes';
  if (resource && path) {
    errors.push(
      fieldError(
        'FieldValueInvalid',
        'spec.nonResourceAttributes',
        `Invalid value: ${JSON.stringify({ Path: path.path ?? '', Verb: path.verb ?? '' })}: ${both}`,
      ),
    );
  }
  if (!resource && !path) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(fieldError('FieldValueInvalid', 'spec.resourceAttributes', `Invalid value: null: ${why}`));
  }
  if (withSubject && !spec.user && !spec.groups?.length) {
    errors.push(
      fieldError(
        'FieldValueInvalid',
        'spec.user',
        `Invalid value: "": at least one of user or group must be specified`,
      ),
    );
  }
  if (errors.length > 0) throw invalidReview(errors);
}
