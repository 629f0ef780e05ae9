/**
 * Changes of the rules: of ReloaderConfigs, and of our annotations on Namespaces and workloads, including a freeze.
 *
 * In: events of the caches. Out: a line of the audit log for each change, with the program that wrote it as far as
 * managedFields tell. Objects that existed before this process started are no changes, and neither are the operator's
 * own writes.
 */
import type { Informer } from '@reloader/runtime';
import { parseGoBool } from '../go/bool.ts';
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import type { ConfigFacts } from '../reloader/model/config.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import type { NamespaceFacts } from '../reloader/model/world.ts';
import type { AuditAction, AuditEntry, AuditLog } from './audit-log.ts';

export interface RuleChangeOptions {
  readonly audit: Pick<AuditLog, 'rule'>;
  readonly configs: Informer<ConfigFacts> | undefined;
  readonly namespaces: Informer<NamespaceFacts> | undefined;
  readonly workloads: Iterable<Informer<WorkloadFacts>>;
}

type Annotated = Pick<WorkloadFacts, 'annotations' | 'writtenBy'>;
type Named = NonNullable<AuditEntry['object']>;

/** Annotations that the operator writes itself. */
const NO_RULES: ReadonlySet<string> = new Set([
  FIXED_ANNOTATIONS.ledger,
  FIXED_ANNOTATIONS.rolled,
  FIXED_ANNOTATIONS.restarting,
  FIXED_ANNOTATIONS.lastReload,
  FIXED_ANNOTATIONS.lastReloadedFrom,
  FIXED_ANNOTATIONS.lastHash,
]);

export function auditRules({ audit, configs, namespaces, workloads }: RuleChangeOptions): void {
  configs?.addHandler((event) => {
    const { metadata, generation, writtenBy } = event.object;
    const { namespace, name, uid } = metadata;
    const object = { kind: 'ReloaderConfig', namespace, name, uid };
    if (event.type === 'add' && !event.initial) audit.rule('rule', object, 'created', writtenBy);
    else if (event.type === 'delete') audit.rule('rule', object, 'deleted', undefined);
    else if (event.type === 'update' && event.old.generation !== generation) {
      audit.rule('rule', object, `changed, generation ${generation}`, writtenBy);
    }
  });
  namespaces?.addHandler((event) => {
    if (event.type !== 'update') return;
    const { name, uid } = event.object.metadata;
    tellAnnotations(audit, { kind: 'Namespace', name, uid }, event.old, event.object);
  });
  for (const informer of workloads) {
    informer.addHandler((event) => {
      if (event.type !== 'update') return;
      const { kind, metadata } = event.object;
      const { namespace, name, uid } = metadata;
      tellAnnotations(audit, { kind, namespace, name, uid }, event.old, event.object);
    });
  }
}

function tellAnnotations(
  audit: RuleChangeOptions['audit'],
  object: Named,
  old: Annotated,
  now: Annotated,
): void {
  if (old.annotations === now.annotations) return;
  for (const name of new Set([...Object.keys(old.annotations), ...Object.keys(now.annotations)])) {
    const [before, after] = [old.annotations[name], now.annotations[name]];
    if (before === after || NO_RULES.has(name)) continue;
    const what = after === undefined ? `${name} removed` : `${name}: ${JSON.stringify(after.slice(0, 200))}`;
    audit.rule(actionOf(name, before, after), object, what, now.writtenBy);
  }
}

function actionOf(name: string, before: string | undefined, after: string | undefined): AuditAction {
  if (name !== FIXED_ANNOTATIONS.freeze) return 'rule';
  const isFrozen = (text: string | undefined): boolean => parseGoBool(text ?? '') ?? false;
  if (isFrozen(before) === isFrozen(after)) return 'rule';
  return isFrozen(after) ? 'freeze' : 'unfreeze';
}
