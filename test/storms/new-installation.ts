/**
 * Changes that nobody can find, from docs/limits.md: the record of a workload without a ledger was lost, and the next
 * operator cannot know that it was opted in before. Either the digest key was lost as well, so that the operator is a new
 * installation; or the operator started while the namespace was out of scope, and saw it come into scope. It adopts the
 * content that the sources have at that moment; one that is absent is adopted when it is created.
 */
import { contentOf } from '../reloader/checks/history.ts';
import type { Chronicle, ChronicleObject, Ref } from '../reloader/chronicle.ts';
import { DIGEST_KEY } from '../reloader/names.ts';
import { recordsOf } from '../reloader/records.ts';
import { NAMESPACE } from './storm.ts';
import type { Held, IsUnseen, Told } from './unseen.ts';

/** When workloads begin to be opted in, as far as an operator can know. */
interface Moment {
  readonly revision: number;
  /** Milliseconds since the epoch, of a whole second. */
  readonly at: number;
}

interface LetIn extends Moment {
  readonly outSince: number;
}

const SECOND = 1000;

export function adoptedAnew(operators: readonly Told[], chronicle: Chronicle): IsUnseen {
  return ({ workload, source }: Held) => {
    if (!recordsOf(chronicle, workload).some(({ afterLoss }) => afterLoss)) return false;
    const [, ...keys] = keysMade(chronicle);
    return operators.some((operator) => {
      const moments = [...keys, ...seenBy(operator, letIns(chronicle, workload.namespace))].filter(
        ({ revision }) => adoptsPresentContent(chronicle, source, revision),
      );
      return adoptionsOf(operator, workload).some((adopted) => moments.some(({ at }) => at <= adopted));
    });
  };
}

/** Milliseconds since the epoch. */
function adoptionsOf({ log }: Told, { kind, namespace, name }: Ref): number[] {
  return log.flatMap(({ message, values, at = 0 }) =>
    message === 'Recorded without a restart' &&
    values.because === 'adopted' &&
    values.kind === kind &&
    values.namespace === namespace &&
    values.name === name
      ? [at]
      : [],
  );
}

/** An operator that has seen the namespace in scope before knows that its return opts nothing in. */
function seenBy({ log }: Told, moments: readonly LetIn[]): LetIn[] {
  const [{ at: began = 0 } = {}] = log;
  return moments.filter(({ outSince, at }) => outSince <= began && began < at + SECOND);
}

/** It may have changed and changed back since: the record of the adoption tells that. */
function adoptsPresentContent(chronicle: Chronicle, source: Ref, revision: number): boolean {
  const versions = chronicle.of(source);
  const now = chronicle.now(source);
  const then = versions.findLast((version) => version.revision <= revision);
  const adopted =
    then && then.type !== 'DELETED'
      ? then
      : versions.find((version) => version.revision > revision && version.type !== 'DELETED');
  return now !== undefined && adopted !== undefined && contentOf(adopted.object) === contentOf(now);
}

function writtenAt({ metadata }: ChronicleObject): number {
  const times = (metadata.managedFields ?? []).map(({ time }) => Date.parse(time ?? ''));
  return Math.max(Date.parse(metadata.creationTimestamp ?? ''), ...times);
}

/** The oldest first. */
function keysMade(chronicle: Chronicle): Moment[] {
  return chronicle
    .of({ kind: 'Secret', namespace: NAMESPACE, name: DIGEST_KEY })
    .filter(({ type }) => type === 'ADDED')
    .map(({ revision, object }) => ({
      revision,
      at: Date.parse(object.metadata.creationTimestamp ?? ''),
    }));
}

/** The storms select namespaces by this label. */
function letIns(chronicle: Chronicle, name: string): LetIn[] {
  const isSelected = ({ metadata }: ChronicleObject): boolean => metadata.labels?.reload === 'yes';
  let outSince: number | undefined;
  return chronicle.of({ kind: 'Namespace', namespace: '', name }).flatMap(({ revision, object }) => {
    const at = writtenAt(object);
    if (!isSelected(object)) {
      outSince ??= at;
      return [];
    }
    const letIn = outSince === undefined ? [] : [{ revision, at, outSince }];
    outSince = undefined;
    return letIn;
  });
}
