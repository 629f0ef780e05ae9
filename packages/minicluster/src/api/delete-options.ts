/** The options of a deletion, from the body or, where there is none, from the query. */

import { badRequest, type FieldError, invalid } from '../model/status.ts';
import { isTrue } from '../request/request-info.ts';
import { decodeTyped } from '../schema/typed.ts';
import { DecodeError } from '../schema/typed-scalars.ts';
import { parseBodyWith } from './body.ts';
import { dryRunErrors, isDryRun, type ResourceCall } from './call.ts';
import { readInteger } from './list-options.ts';
import type { DeleteOptions } from './operations/delete.ts';

interface Body {
  kind?: string;
  apiVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: string;
  orphanDependents?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: string[];
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

export function readDeleteOptions(call: ResourceCall): DeleteOptions {
  const body = hasBody(call) ? fromBody(call) : fromQuery(call.query);
  const errors = [...policyErrors(body), ...dryRunErrors(body.dryRun ?? [])];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return {
    ...(body.preconditions && { preconditions: body.preconditions }),
    gracePeriodSeconds: body.gracePeriodSeconds,
    propagationPolicy: body.propagationPolicy,
    orphanDependents: body.orphanDependents,
    dryRun: isDryRun(body.dryRun ?? []),
  };
}

const hasBody = ({ request }: ResourceCall): boolean => (request.body?.length ?? 0) > 0;

function fromBody(call: ResourceCall): Body {
  const { value } = parseBodyWith(call.request, (why) => badRequest(why));
  const body = value as Body;
  if (body.kind && body.kind !== 'DeleteOptions') {
    const version = body.apiVersion || 'meta.k8s.io/v1';
    throw badRequest(
      `no kind "${body.kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    return decodeTyped({ ...body, kind: 'DeleteOptions', apiVersion: 'v1' }, DELETE_OPTIONS).object as Body;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

const DELETE_OPTIONS = { group: '', version: 'v1', kind: 'DeleteOptions' };

function fromQuery(query: URLSearchParams): Body {
  const gracePeriodSeconds = readInteger(query, 'gracePeriodSeconds');
  const propagationPolicy = query.get('propagationPolicy');
  const orphanDependents = query.get('orphanDependents');
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(orphanDependents !== null && { orphanDependents: isTrue(orphanDependents) }),
    dryRun: query.getAll('dryRun'),
  };
}

function policyErrors({ propagationPolicy: policy, orphanDependents }: Body): FieldError[] {
  if (policy === undefined) return [];
  if (orphanDependents !== undefined) {
    return [
      {
        reason: 'FieldValueInvalid',
        field: 'propagationPolicy',
        message: `Invalid value: "${policy}": orphanDependents and deletionPropagation cannot be both set`,
      },
    ];
  }
  if (POLICIES.includes(policy)) return [];
  return [
    {
      reason: 'FieldValueNotSupported',
      field: 'propagationPolicy',
      message: `Unsupported value: "${policy}": supported values: "Foreground", "Background", "Orphan", "nil"`,
    },
  ];
}
