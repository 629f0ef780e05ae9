/** The query parameters of list and watch, and which of them exclude each other. */

import { badRequest, type FieldError, invalid } from '../model/status.ts';
import { isTrue } from '../request/request-info.ts';

export interface ListOptions {
  readonly watch: boolean;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continue: string;
}

/** Throws 400 for malformed numbers, and 422 for invalid combinations. */
export function readListOptions(
  query: URLSearchParams,
  watch: boolean,
  features: { readonly watchList: boolean },
): ListOptions {
  const options: ListOptions = {
    watch,
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined,
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutSeconds: readInteger(query, 'timeoutSeconds'),
    limit: Math.max(0, readInteger(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
  };
  const completed = features.watchList ? withInitialEvents(options) : options;
  const errors = completed.watch ? watchErrors(completed, features.watchList) : listErrors(completed);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return completed;
}

/** A watch without a revision starts with the current state, as if initial events were requested. */
function withInitialEvents(options: ListOptions): ListOptions {
  const { watch, sendInitialEvents, resourceVersionMatch, resourceVersion } = options;
  if (!watch || sendInitialEvents !== undefined || resourceVersionMatch !== '') return options;
  if (resourceVersion !== '' && resourceVersion !== '0') return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

function listErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (match !== '') {
    if (options.resourceVersion === '') {
      errors.push(badMatch('resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continue !== '') {
      errors.push(badMatch('resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(unsupportedMatch(match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(badMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function watchErrors(options: ListOptions, watchList: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  const wantsInitial = options.sendInitialEvents !== undefined;
  if (wantsInitial && match !== 'NotOlderThan') {
    errors.push(badMatch('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (wantsInitial && !watchList) {
    const why = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    errors.push(forbiddenField('sendInitialEvents', why));
  }
  if (match === '') return errors;
  if (!wantsInitial) {
    errors.push(badMatch('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (match !== 'NotOlderThan') errors.push(unsupportedMatch(match, ['NotOlderThan']));
  if (options.continue !== '') {
    errors.push(badMatch('resourceVersionMatch is forbidden when continue is provided'));
  }
  return errors;
}

const forbiddenField = (field: string, why: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${why}`,
});

const badMatch = (why: string): FieldError => forbiddenField('resourceVersionMatch', why);

const unsupportedMatch = (match: string, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field: 'resourceVersionMatch',
  message: `Unsupported value: "${match}": supported values: ${supported.map((name) => `"${name}"`).join(', ')}`,
});

/** An integer from the query; undefined if absent or empty. */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?[0-9]+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}
