/**
 * I1 and I3: no workload was reloaded unless the content of a source differed from the one in its ledger.
 * I2, first half: each reload is counted once.
 */
import type { Chronicle, ChronicleObject, Ref } from '../chronicle.ts';
import { sourceOf } from '../ledger-view.ts';
import { ROLLED } from '../names.ts';
import { templateChanges, templateOf } from '../rollouts.ts';
import type { Allowance } from '../scene.ts';
import { contentAt, crossing, RELOADED_KINDS, type Reload, reloadsOf, writtenAt } from './history.ts';

export function explained(chronicle: Chronicle, { unexplained }: Allowance): string[] {
  const broken: string[] = [];
  for (const ref of RELOADED_KINDS.flatMap((kind) => chronicle.refs(kind))) {
    const versions = chronicle.of(ref);
    const reloads = reloadsOf(chronicle, ref);
    const name = `${ref.kind}/${ref.name}`;
    for (const reload of reloads) {
      const previous = reload.before.at(-1)?.ledger.seq ?? 0;
      const highest = Math.max(previous, ...reload.before.map(({ ledger }) => ledger.seq));
      // Without an earlier ledger, the operator may continue from the number in the template's mark.
      if (reload.before.length > 0 && reload.ledger.seq !== highest + 1)
        broken.push(`I2: ${name} went from reload ${highest} to ${reload.ledger.seq}`);
      if (!isAllowed(unexplained, ref) && !isExplained(chronicle, ref.namespace, reload))
        broken.push(
          `I1: reload ${reload.ledger.seq} of ${name} has no cause: ${JSON.stringify(reload.ledger.recent?.at(-1))}`,
        );
    }
    const changes = [...versions.slice(0, 1), ...templateChanges(versions)];
    const marked = changes.filter(({ object }, index) => {
      const before = changes[index - 1];
      return before !== undefined && markOf(object) !== undefined && markOf(object) !== markOf(before.object);
    });
    for (const { object, revision } of marked) {
      const seq = Number((JSON.parse(markOf(object) ?? '{}') as { n?: number }).n);
      const known =
        reloads.some(
          (reload) => reload.ledger.seq === seq && (ref.kind === 'Job' || reload.revision <= revision),
        ) || reloadsOfBorrowers(chronicle, ref).some((reload) => reload.ledger.seq === seq);
      if (!known)
        broken.push(`I1: the template of ${name} says reload ${seq}, of which its ledger knows nothing`);
    }
  }
  return broken;
}

function isAllowed(unexplained: Allowance['unexplained'], { name }: Ref): boolean {
  return typeof unexplained === 'object' ? unexplained.includes(name) : unexplained === true;
}

/** A Rollout may use the template of a Deployment (workloadRef): the ledger is then on the Rollout. */
function reloadsOfBorrowers(chronicle: Chronicle, { kind, namespace, name }: Ref): Reload[] {
  const borrows = (rollout: ChronicleObject | undefined): boolean => {
    const { workloadRef } = (rollout?.spec ?? {}) as { workloadRef?: { kind?: string; name?: string } };
    return workloadRef?.kind === kind && workloadRef.name === name;
  };
  return chronicle
    .refs('Rollout')
    .filter((ref) => ref.namespace === namespace && borrows(chronicle.now(ref)))
    .flatMap((ref) => reloadsOf(chronicle, ref));
}

const markOf = (object: ChronicleObject): string | undefined =>
  templateOf(object).metadata?.annotations?.[ROLLED];

function isExplained(chronicle: Chronicle, namespace: string, { ledger, revision, before }: Reload): boolean {
  const { s: causes = [] } = ledger.recent?.find(({ n }) => n === ledger.seq) ?? {};
  return causes.some((key) => {
    const source = sourceOf(key, namespace);
    if (source.kind === 'SecretProviderClass') return true;
    const recorded = writtenAt(before, key) ?? before.at(-1)?.revision;
    if (recorded === undefined) return false;
    const content = contentAt(chronicle, source, revision - 1);
    if (contentAt(chronicle, source, recorded) !== content) return true;
    const crossed = crossing(chronicle, source, recorded, before.at(-1)?.ledger.t);
    return crossed !== undefined && crossed !== content;
  });
}
