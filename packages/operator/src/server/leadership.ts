/**
 * Remembers that the Lease was lost, for the liveness probe: the process must then be restarted, even if its shutdown
 * takes longer than it should.
 */
import { type Elector, type HealthCheck, LeaseLostError } from '@reloader/runtime';

export interface Leadership {
  /** For the manager, in place of the elector that was given. */
  readonly elector: Elector;
  /** Throws as soon as the Lease is lost. */
  readonly check: HealthCheck;
}

export function watchLeadership(elector: Elector): Leadership {
  let lost: LeaseLostError | undefined;
  return {
    elector: {
      name: elector.name,
      get isLeader() {
        return elector.isLeader;
      },
      run: async (signal, callbacks) => {
        try {
          await elector.run(signal, callbacks);
        } catch (error) {
          if (error instanceof LeaseLostError) lost = error;
          throw error;
        }
      },
      release: () => elector.release(),
      check: () => elector.check(),
    },
    check: () => {
      if (lost) throw lost;
    },
  };
}
