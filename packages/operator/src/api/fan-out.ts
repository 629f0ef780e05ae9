/** How many workloads one source would restart together, where that is more than somebody should find out afterwards. */
import { policyFor } from '../reloader/model/policy.ts';
import { sourceKey } from '../reloader/model/source.ts';
import type { WantedSource } from '../reloader/model/want.ts';
import { fanOutText } from '../reloader/report/fan-out.ts';
import { wantOf } from '../reloader/want/want.ts';
import { wordsOf } from '../reloader/want/want-subject.ts';
import type { Observer } from './observer.ts';
import type { Explanation } from './shapes.ts';

export function largeFanOuts(sources: readonly WantedSource[], observer: Observer): Explanation['notes'] {
  const { settings, world } = observer;
  if (settings.warnFanOut === 0) return [];
  return sources.flatMap(({ ref, state }) => {
    const concerned = observer.concerned(ref, wordsOf(state)?.labels ?? {});
    // Asking all of them takes a while: only where the answer may be worth it.
    if (concerned.length <= settings.warnFanOut) return [];
    const together = concerned.filter((each) => {
      const workload = world.workload(each);
      const want = workload && wantOf(workload, world, settings);
      const source = want?.sources.find((wanted) => sourceKey(wanted.ref) === sourceKey(ref));
      return want && source && policyFor(want, [source.key]).budgets.length === 0;
    });
    const what = `${ref.kind} ${ref.namespace}/${ref.name}`;
    const message = fanOutText(what, together.length, settings.warnFanOut);
    return message === undefined ? [] : [{ reason: 'LargeFanOut', message }];
  });
}
