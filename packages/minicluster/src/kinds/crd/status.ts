/**
 * The server's status of a CustomResourceDefinition: its accepted names, and whether it is established. Names are
 * unique within a group; the first CRD keeps them.
 */
import type { JsonObject, KubeObject } from '../../model/object.ts';
import { array, type Fields, record, records, same, text } from '../fields.ts';

/** The names that other CRDs and built-in kinds of a group use. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
}

/** The new status, or undefined if it is unchanged. `now` in milliseconds. */
export function computeCrdStatus(crd: KubeObject, taken: TakenNames, now: number): JsonObject | undefined {
  const status = record(crd.status);
  const { names, conflict } = acceptNames(
    record(record(crd.spec).names),
    record(status.acceptedNames),
    taken,
  );
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const previous = records(status.conditions);
  const conditions = [
    ...previous.filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established'),
    settle(previous, {
      type: 'NamesAccepted',
      status: conflict ? 'False' : 'True',
      reason: conflict?.reason ?? 'NoConflicts',
      message: conflict?.message ?? 'no conflicts found',
      lastTransitionTime: time,
    }),
    established(previous, conflict === undefined, time),
  ];
  const result = {
    ...status,
    conditions,
    acceptedNames: names,
    storedVersions: array(status.storedVersions),
  };
  return same(result, status) ? undefined : (result as unknown as JsonObject);
}

/** Established is never withdrawn. */
function established(previous: readonly Fields[], accepted: boolean, time: string): Fields | Condition {
  const old = previous.find(({ type }) => type === 'Established');
  if (old?.status === 'True') return old;
  return settle(
    previous,
    accepted
      ? {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
          lastTransitionTime: time,
        }
      : {
          type: 'Established',
          status: 'False',
          reason: 'NotAccepted',
          message: 'not all names are accepted',
          lastTransitionTime: time,
        },
  );
}

/** A condition keeps its transition time while its status is unchanged. */
function settle(previous: readonly Fields[], condition: Condition): Condition {
  const old = previous.find(({ type }) => type === condition.type);
  if (old?.status !== condition.status) return condition;
  return { ...condition, lastTransitionTime: text(old.lastTransitionTime) || condition.lastTransitionTime };
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

function acceptNames(
  wanted: Fields,
  accepted: Fields,
  taken: TakenNames,
): { names: Fields; conflict: Conflict | undefined } {
  const names: Fields = { ...accepted };
  let conflict: Conflict | undefined;
  const claim = (field: string, reason: string, used: ReadonlySet<string>): void => {
    const name = text(wanted[field]);
    if (name !== text(accepted[field]) && used.has(name)) {
      conflict = { reason, message: `"${name}" is already in use` };
    } else names[field] = wanted[field];
  };
  claim('plural', 'PluralConflict', taken.resources);
  claim('singular', 'SingularConflict', taken.resources);
  const known = new Set(array(accepted.shortNames).map(String));
  const clashing = array(wanted.shortNames)
    .map(String)
    .filter((shortName) => !known.has(shortName) && taken.resources.has(shortName));
  if (clashing.length > 0) {
    const messages = clashing.map((shortName) => `"${shortName}" is already in use`);
    const message = messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
    conflict = { reason: 'ShortNamesConflict', message };
  } else if (wanted.shortNames !== undefined) names.shortNames = wanted.shortNames;
  else delete names.shortNames;
  claim('kind', 'KindConflict', taken.kinds);
  claim('listKind', 'ListKindConflict', taken.kinds);
  if (wanted.categories !== undefined) names.categories = wanted.categories;
  else delete names.categories;
  return { names, conflict };
}

export const isEstablished = (crd: KubeObject): boolean =>
  ['NamesAccepted', 'Established'].every((type) =>
    records(record(crd.status).conditions).some(
      (condition) => condition.type === type && condition.status === 'True',
    ),
  );
