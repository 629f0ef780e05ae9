/** `/token` of service accounts: real tokens, for as long as asked. */

import { type BoundObject, ISSUER } from '../../auth/service-account-tokens.ts';
import type { KubeObject } from '../../model/object.ts';
import { badRequest, conflict, type FieldError, invalid, notFound } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import { readTyped } from '../../schema/typed.ts';
import { objectKey } from '../../storage/store.ts';
import { parseBody } from '../body.ts';
import { type ResourceCall, readWriteOptions, refOf } from '../call.ts';
import { timestamp } from '../cluster.ts';
import { readObject } from '../operations/update.ts';
import { respond } from '../respond.ts';

interface TokenRequestBody {
  spec?: {
    audiences?: string[] | null;
    expirationSeconds?: number | null;
    boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string };
  };
}

const GVK = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;
const DEFAULT_SECONDS = 3600;
const BINDABLE: Readonly<Record<string, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' };

export function requestToken(call: ResourceCall): ApiResponse {
  const { cluster, kind, authenticator } = call;
  const { dryRun } = readWriteOptions(call);
  const value = parseBody(call.request, 'TokenRequest').value as object;
  const body = readTyped({ ...value, apiVersion: `${GVK.group}/v1`, kind: GVK.kind }, GVK)
    .object as TokenRequestBody;
  const ref = refOf(call);
  const account = readObject(cluster, kind, ref);
  if (!account) throw notFound({ group: '', resource: 'serviceaccounts' }, ref.name);
  const { audiences, expirationSeconds, boundObjectRef } = body.spec ?? {};
  const seconds = expirationSeconds ?? DEFAULT_SECONDS;
  checkSeconds(seconds);
  const bound = boundObjectRef ? boundObject(call, boundObjectRef) : undefined;
  const issued = authenticator.issue({
    account,
    audiences: audiences ?? [],
    seconds,
    bound,
    id: cluster.random.uuid(),
  });
  return respond(call, 201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { ...metadataOf(account), creationTimestamp: timestamp(cluster.clock) },
    spec: {
      audiences: audiences?.length ? audiences : [ISSUER],
      expirationSeconds: seconds,
      boundObjectRef: boundObjectRef ?? null,
    },
    status: {
      token: dryRun ? '' : issued.token,
      expirationTimestamp: `${new Date(issued.expires).toISOString().slice(0, 19)}Z`,
    },
  });
}

const metadataOf = ({ metadata: { name, namespace, uid } }: KubeObject): object => ({ name, namespace, uid });

const goKind = (apiVersion: string, kind: string): string =>
  `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;

function checkSeconds(seconds: number): void {
  const problem =
    seconds < SHORTEST_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : seconds > LONGEST_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (problem === undefined) return;
  const error: FieldError = {
    reason: 'FieldValueInvalid',
    field: 'spec.expirationSeconds',
    message: `Invalid value: ${seconds}: ${problem}`,
  };
  throw invalid(GVK, '', [error]);
}

function boundObject(
  call: ResourceCall,
  reference: { kind?: string; name?: string; apiVersion?: string; uid?: string },
): BoundObject {
  const { kind = '', name = '', apiVersion = 'v1', uid } = reference;
  const resource = BINDABLE[kind];
  if (!resource) throw badRequest(`cannot bind token to object of type ${goKind(apiVersion, kind)}`);
  const namespace = kind === 'Node' ? undefined : call.info.namespace;
  const object = call.cluster.store.get(resource, objectKey(namespace, name));
  if (!object) throw notFound({ group: '', resource }, name);
  if (uid && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', resource }, name, why);
  }
  return { kind, name, uid: object.metadata.uid };
}
