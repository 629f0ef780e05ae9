/** Freezes of reloads: the annotation `freeze` on the workload, its Namespace or the operator's Namespace. */
import { parseGoBool } from '../../go/bool.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Freeze, Problem } from '../model/want.ts';
import type { World } from '../model/world.ts';
import { parseTime } from '../windows/read.ts';
import { own } from './own.ts';
import { quote } from './policy-reader.ts';
import type { WantSubject } from './want-subject.ts';

const LONGEST_REASON = 200;

export function freezesOf(
  { workload, namespace }: WantSubject,
  world: World,
  { operatorNamespace }: ReloaderSettings,
): { readonly freezes: readonly Freeze[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const read = (place: Freeze['place'], annotations: Readonly<Record<string, string>>, where: string) => {
    const freeze = freezeIn(annotations);
    if (freeze && !isReadable(annotations)) {
      const text = quote(own(annotations, FIXED_ANNOTATIONS.freeze) ?? '');
      const message = `${text} in ${FIXED_ANNOTATIONS.freeze} of ${where} is neither true nor false nor a time, and freezes: write "true", "false" or a time such as "2026-12-24T18:00:00Z"`;
      problems.push({ field: FIXED_ANNOTATIONS.freeze, reason: 'UnknownValue', message });
    }
    return freeze ? [{ place, ...freeze }] : [];
  };
  const ofNamespace = (place: 'namespace' | 'cluster', name: string) =>
    read(place, world.namespace(name)?.annotations ?? {}, `Namespace ${name}`);
  const freezes = [
    ...read('workload', workload.annotations, 'the workload'),
    ...ofNamespace('cluster', operatorNamespace),
    ...(namespace === operatorNamespace ? [] : ofNamespace('namespace', namespace)),
  ];
  return { freezes, problems };
}

/** Reads a freeze. An invalid value freezes: a user wanted that, and a reload despite a typing error would be worse. */
export function freezeIn(annotations: Readonly<Record<string, string>>): Omit<Freeze, 'place'> | undefined {
  const text = own(annotations, FIXED_ANNOTATIONS.freeze) ?? '';
  if (text === '' || parseGoBool(text) === false) return undefined;
  const reason = own(annotations, FIXED_ANNOTATIONS.freezeReason)?.trim().slice(0, LONGEST_REASON);
  return { until: parseTime(text), reason: reason || undefined };
}

function isReadable(annotations: Readonly<Record<string, string>>): boolean {
  const text = own(annotations, FIXED_ANNOTATIONS.freeze) ?? '';
  return parseGoBool(text) !== undefined || parseTime(text) !== undefined;
}

export function isFrozenAt({ until }: Pick<Freeze, 'until'>, now: number): boolean {
  return until === undefined || until > now;
}
