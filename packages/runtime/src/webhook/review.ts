/** admission.k8s.io/v1 AdmissionReview: read from a request body, written as a response body. */
import { isMap, type JsonMap } from '../objects/equality.ts';
import type { AdmissionAnswer, AdmissionRequest, Operation } from './admission.ts';

/** The body is no AdmissionReview that can be answered. The message says why. */
export class ReviewError extends Error {
  override name = 'ReviewError';
}

const API_VERSION = 'admission.k8s.io/v1';
const OPERATIONS: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] satisfies Operation[];

export function parseReview(body: string): AdmissionRequest {
  const review = parseJson(body);
  if (!isMap(review) || review.kind !== 'AdmissionReview')
    throw new ReviewError('The body is not an AdmissionReview');
  if (review.apiVersion !== API_VERSION) {
    throw new ReviewError(
      `The AdmissionReview has apiVersion "${String(review.apiVersion)}": only ${API_VERSION} is spoken here`,
    );
  }
  const { request } = review;
  if (!isMap(request)) throw new ReviewError('The AdmissionReview has no request');
  if (typeof request.uid !== 'string' || request.uid === '') throw new ReviewError('The request has no uid');
  if (!OPERATIONS.includes(request.operation)) {
    throw new ReviewError(`The request has operation "${String(request.operation)}", which is not known`);
  }
  for (const name of ['kind', 'resource', 'userInfo']) {
    if (!isMap(request[name])) throw new ReviewError(`The request has no ${name}`);
  }
  return asRequest(request);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new ReviewError('The body is not JSON', { cause: error });
  }
}

/** Null means absent on the wire. */
function asRequest(request: JsonMap): AdmissionRequest {
  const present = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null));
  return present as unknown as AdmissionRequest;
}

export function renderReview(uid: string, answer: AdmissionAnswer): string {
  const { allowed, message, code, reason, causes, patch, warnings, auditAnnotations } = answer;
  const status = allowed
    ? undefined
    : {
        status: 'Failure',
        message: message ?? 'Denied without a message',
        code: code ?? 403,
        reason: reason ?? 'Forbidden',
        ...(causes && causes.length > 0 && { details: { causes } }),
      };
  const response = {
    uid,
    allowed,
    ...(status && { status }),
    ...(allowed && patch && patch.length > 0 && { patchType: 'JSONPatch', patch: encode(patch) }),
    ...(warnings && warnings.length > 0 && { warnings }),
    ...(auditAnnotations && { auditAnnotations }),
  };
  return JSON.stringify({ apiVersion: API_VERSION, kind: 'AdmissionReview', response });
}

function encode(patch: object): string {
  return Buffer.from(JSON.stringify(patch)).toString('base64');
}
