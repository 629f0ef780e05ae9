/** Windows of several places (Namespace, ReloaderConfigs, workload) that are never open at the same time. */
import { systemClock } from '@reloader/runtime';
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import type { ConfigFacts } from '../reloader/model/config.ts';
import type { WindowSet } from '../reloader/model/window.ts';
import { workloadKey } from '../reloader/model/workload.ts';
import { membersOf } from '../reloader/want/budgets.ts';
import { namedSources } from '../reloader/want/config-match.ts';
import { annotatedWindows, windowsOfConfig } from '../reloader/want/windows.ts';
import { closedBy, neverOpen } from '../reloader/windows/opening.ts';
import { annotationsOf, type Corpus, type LintedWorkload, textsOf } from './corpus.ts';
import type { Report } from './finding.ts';

/** The operator's Namespace may be any of them: its windows are not known to be those of the cluster. */
const NO_OPERATOR = { operatorNamespace: '' };

export function checkWindows(
  { manifest, facts }: LintedWorkload,
  configs: readonly ConfigFacts[],
  corpus: Corpus,
  report: Report,
): void {
  const { namespace, name } = manifest;
  const own = annotatedWindows({ workload: facts, namespace }, namespacesOf(corpus), NO_OPERATOR);
  const key = workloadKey({ kind: facts.kind, namespace, name });
  const naming = configs.filter((config) => membersOf(config).has(key));
  // A window that cannot be read is reported where it is written.
  if (own.problems.length > 0) return;
  const now = systemClock.now();
  for (const together of [[], ...naming.map((config) => watchingTheSame(config, naming))]) {
    const sets = [...own.windows, ...together.flatMap((config) => windowsOfConfig(config).windows)];
    if (!areNeverOpen(sets, now)) continue;
    const field = ANNOTATIONS.find((each) => facts.annotations[each] !== undefined);
    const places = sets.map(({ where }) => where).join('; ');
    report(
      field ?? 'metadata.name',
      'bad-window',
      `is held for ever: these windows are never open at the same time: ${places}. Let them overlap, or remove one`,
      field === undefined ? ['metadata', 'name'] : ['metadata', 'annotations', field],
    );
    return;
  }
}

const ANNOTATIONS = [FIXED_ANNOTATIONS.syncWindows, FIXED_ANNOTATIONS.restartWindow];

/** One that never opens by itself is reported where it is written. */
function areNeverOpen(sets: readonly WindowSet[], now: number): boolean {
  if (sets.length < 2 || sets.some(({ windows }) => neverOpen(windows, now))) return false;
  const closed = closedBy(sets, now);
  return closed !== undefined && closed.opensAt === undefined;
}

/** The config, and those that apply to the same change because they name one of its sources. */
function watchingTheSame(config: ConfigFacts, others: readonly ConfigFacts[]): readonly ConfigFacts[] {
  const nameOf = ({ kind, name }: { kind: string; name: string }): string => `${kind}/${name}`;
  const watched = new Set(namedSources(config).map(nameOf));
  return others.filter(
    (each) => each === config || namedSources(each).some((source) => watched.has(nameOf(source))),
  );
}

function namespacesOf(corpus: Corpus): Parameters<typeof annotatedWindows>[1] {
  return {
    namespace: (name) => {
      const manifest = corpus.namespace(name);
      if (!manifest) return undefined;
      const metadata = { name, uid: '', resourceVersion: '' };
      return { metadata, labels: {}, annotations: textsOf(annotationsOf(manifest)), deleting: false };
    },
  };
}
