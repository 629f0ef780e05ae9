/**
 * I1, exactly: a reload names a source whose recorded digest differs from the one before, and the new digest is that
 * of content which the source really had. Content alone would not tell: in a storm the operator acts on what it last
 * saw, which is not always what there was.
 */

import { RELOADED_KINDS, reloadsOf } from '../reloader/checks/history.ts';
import type { Chronicle, Ref } from '../reloader/chronicle.ts';
import type { LedgerView } from '../reloader/ledger-view.ts';
import { sourceOf } from '../reloader/ledger-view.ts';
import type { Allowance } from '../reloader/scene.ts';
import { digestOf } from './digests.ts';

export function everyReloadHasAReason(chronicle: Chronicle, { unexplained }: Allowance): string[] {
  if (unexplained) return [];
  return RELOADED_KINDS.flatMap((kind) => chronicle.refs(kind)).flatMap((ref) =>
    reloadsOf(chronicle.of(ref)).flatMap(({ ledger, before }) => {
      const causes = ledger.recent?.find(({ n }) => n === ledger.seq)?.s ?? [];
      const previous = before.at(-1)?.ledger;
      if (causes.some((key) => isReason(chronicle, ref, key, ledger, previous))) return [];
      const change = `${JSON.stringify(previous?.s)} became ${JSON.stringify(ledger.s)}`;
      return [
        `I1: reload ${ledger.seq} of ${ref.name} has no reason: named ${JSON.stringify(causes)}, ${change}`,
      ];
    }),
  );
}

function isReason(
  chronicle: Chronicle,
  ref: Ref,
  key: string,
  ledger: LedgerView,
  previous: LedgerView | undefined,
): boolean {
  const now = ledger.s[key];
  if (now === undefined || now === previous?.s[key]) return false;
  if (now.endsWith('!')) return true;
  const [digest = '', scope] = now.split('#');
  if (scope !== undefined || key.startsWith('spc/')) return true;
  if (previous?.s[key]?.replace('!', '') === digest) return false;
  const source = sourceOf(key, ref.namespace);
  return chronicle.of(source).some(({ object }) => digestOf(chronicle, source, object) === digest);
}
