/** Selection: the namespace and selectors of a request. */
import { fieldsOf, isFieldLabel, type Kind, unknownFieldLabelText } from '../kinds/index.ts';
import type { KubeObject } from '../model/object.ts';
import { badRequest } from '../model/status.ts';
import { fieldsMatch, parseFieldSelector, requiredValue } from '../selectors/field-selector.ts';
import { labelMatcher } from '../selectors/label-selector.ts';
import type { ResourceCall } from './call.ts';
import type { ListOptions } from './list-options.ts';

export interface Selection {
  /** Keys of the objects start with this. */
  readonly prefix: string;
  /** The only possible key, if a field selector names the object. */
  readonly key: string | undefined;
  /** Undefined where every object matches. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
}

/** Throws 400 for unparsable selectors or unknown fields. */
export function readSelection(call: ResourceCall, options: ListOptions): Selection {
  const { kind, info } = call;
  const prefix = kind.namespaced && info.namespace ? `${info.namespace}/` : '';
  const labels = labelMatcher(options.labelSelector);
  const fields = parseFieldSelector(options.fieldSelector);
  for (const { field } of fields) {
    if (!isFieldLabel(kind, field)) throw badRequest(unknownFieldLabelText(kind, field));
  }
  // The old watch path contains the object's name.
  const name = requiredValue(fields, 'metadata.name') ?? (info.name || undefined);
  const byName = info.name ? (object: KubeObject) => object.metadata.name === info.name : undefined;
  const byFields =
    fields.length > 0 ? (object: KubeObject) => fieldsMatch(fields, fieldsOf(kind, object)) : undefined;
  return {
    prefix,
    key: name !== undefined && (prefix !== '' || !kind.namespaced) ? `${prefix}${name}` : undefined,
    matches: both(labels && ((object) => labels(object.metadata.labels)), both(byName, byFields)),
  };
}

type Test = ((object: KubeObject) => boolean) | undefined;

function both(a: Test, b: Test): Test {
  if (!a) return b;
  return b ? (object) => a(object) && b(object) : a;
}

/** Selectors apply to objects in the kind's own version. */
export function selects(selection: Selection, kind: Kind, stored: KubeObject): boolean {
  return !selection.matches || selection.matches(kind.storage?.fromStored(stored) ?? stored);
}
