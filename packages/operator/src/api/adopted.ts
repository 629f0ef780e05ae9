/** Asked before the installation: what is there counts as recorded, and the next change is what is asked about. */
import { afterRefusal } from '../reloader/ledger/remember.ts';
import { plan } from '../reloader/plan/plan.ts';
import type { Observer } from './observer.ts';

/** As an operator sees it that has just recorded everything: a change from now on is one. */
export function adopted(observer: Observer): Observer {
  const { world, settings } = observer;
  return {
    ...observer,
    memory: (ref) => {
      const workload = world.workload(ref);
      if (!workload) return undefined;
      const { memory, action } = plan({
        workload,
        world,
        settings,
        install: observer.install(workload),
        memory: undefined,
        pods: undefined,
        unfinished: 0,
        now: observer.now(),
      });
      return action.kind === 'record' ? afterRefusal(memory, action.ledger) : memory;
    },
  };
}
