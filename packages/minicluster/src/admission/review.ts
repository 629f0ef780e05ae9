/**
 * Sends a write to the webhooks that match it: first the mutating ones, one after the other, then the validating
 * ones.
 *
 * In: the object to be written. Out: the object after mutation. Throws a `StatusError` if a webhook denies it, or if
 * one with failurePolicy Fail does not answer. Writes nothing.
 */
import { cloneJson } from '../model/json-clone.ts';
import type { KubeObject } from '../model/object.ts';
import { badRequest } from '../model/status.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { type AdmissionResponse, callWebhook, denied, failedCalling, type ServiceAddress } from './call.ts';
import { type Attributes, concerned, type Webhook } from './configurations.ts';

export interface AdmissionInput {
  readonly attributes: Attributes;
  readonly kind: string;
  readonly name: string;
  readonly user: { readonly name: string; readonly uid?: string; readonly groups: readonly string[] };
  readonly dryRun: boolean;
  readonly mutating: readonly KubeObject[];
  readonly validating: readonly KubeObject[];
  /** A new uid for each review. */
  readonly uuid: () => string;
  readonly warn: (text: string) => void;
  readonly serviceAddress: ServiceAddress;
}

export async function reviewWrite(input: AdmissionInput): Promise<KubeObject | undefined> {
  let { object } = input.attributes;
  for (const webhook of concerned(input.mutating, input.attributes)) {
    const response = await ask(webhook, input, object);
    if (response?.patch && object) object = patched(webhook, object, response);
  }
  const judged = { ...input.attributes, object };
  await Promise.all(concerned(input.validating, judged).map((webhook) => ask(webhook, input, object)));
  return object;
}

/** Undefined if the webhook failed and failurePolicy is Ignore. */
async function ask(
  webhook: Webhook,
  input: AdmissionInput,
  object: KubeObject | undefined,
): Promise<AdmissionResponse | undefined> {
  const { sideEffects = 'Unknown', failurePolicy = 'Fail' } = webhook;
  if (input.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook "${webhook.name}" does not support dry run`);
  }
  if (webhook.matchConditions?.length) {
    input.warn(
      `minicluster does not evaluate matchConditions of webhooks: "${webhook.name}" is always called`,
    );
  }
  let response: AdmissionResponse;
  try {
    response = await callWebhook(webhook, reviewOf(input, object), input.serviceAddress);
  } catch (error) {
    if (failurePolicy === 'Ignore') return undefined;
    throw failedCalling(webhook, error);
  }
  for (const text of response.warnings ?? []) input.warn(text);
  if (!response.allowed) throw denied(webhook, response);
  return response;
}

function reviewOf(input: AdmissionInput, object: KubeObject | undefined) {
  const { attributes, kind, name, user, dryRun, uuid } = input;
  const { operation, group, version, resource, subresource, namespace, oldObject } = attributes;
  const type = { group, version, kind };
  const plural = { group, version, resource };
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: uuid(),
      kind: type,
      resource: plural,
      ...(subresource && { subResource: subresource, requestSubResource: subresource }),
      requestKind: type,
      requestResource: plural,
      ...(name && { name }),
      ...(namespace && { namespace }),
      operation,
      userInfo: { username: user.name, ...(user.uid && { uid: user.uid }), groups: user.groups },
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun,
      options: null,
    },
  };
}

function patched(
  webhook: Webhook,
  object: KubeObject,
  { patch = '', patchType }: AdmissionResponse,
): KubeObject {
  try {
    if (patchType !== 'JSONPatch') throw new Error(`unsupported patch type "${patchType ?? ''}"`);
    const operations: unknown = JSON.parse(Buffer.from(patch, 'base64').toString());
    return applyJsonPatch(cloneJson(object), operations) as unknown as KubeObject;
  } catch (error) {
    throw failedCalling(webhook, error);
  }
}
