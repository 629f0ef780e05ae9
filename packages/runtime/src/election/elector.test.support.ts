/** One elector on a memory client and a virtual clock, for the tests of this folder. */
import { expect } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createRegistry } from '../metrics/registry.ts';
import { MemoryClient } from '../objects/memory-client.test.support.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { createElector, type ElectorOptions, type LeaseElector } from './elector.ts';
import { LEASES, type Lease, type LeaseSpec } from './lease.ts';

export const KEY = { namespace: 'kube-system', name: 'operator' };

export class Stage {
  readonly clock = new VirtualClock();
  readonly server = new MemoryClient();
  readonly stop = new AbortController();
  readonly leaders: string[] = [];
  readonly metrics = createRegistry();
  readonly log = createCapturingLogger();
  started = 0;
  outcome: unknown = 'running';

  elector(options: Partial<ElectorOptions> = {}): LeaseElector {
    return createElector({
      client: this.server,
      lease: KEY,
      identity: 'me',
      clock: this.clock,
      metrics: this.metrics,
      logger: this.log.logger,
      random: () => 0.5,
      ...options,
    });
  }

  run(elector: LeaseElector): void {
    elector
      .run(this.stop.signal, {
        onStartedLeading: () => void this.started++,
        onNewLeader: (identity) => void this.leaders.push(identity),
      })
      .then(
        () => (this.outcome = 'ended'),
        (error) => (this.outcome = error),
      );
  }

  seedLease(spec: LeaseSpec): void {
    this.server.seed(LEASES, { metadata: KEY, spec });
  }

  get lease(): Lease | undefined {
    return this.server.peek(LEASES, KEY);
  }

  /** Another process renews the Lease on the server. */
  renewAs(holder: string): void {
    this.server.edit(LEASES, KEY, (lease) => {
      lease.spec = {
        ...lease.spec,
        holderIdentity: holder,
        renewTime: `renewed at ${this.clock.monotonic()}`,
      };
    });
  }
}

export async function leading(): Promise<{ stage: Stage; elector: LeaseElector }> {
  const stage = new Stage();
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.settle();
  expect(elector.isLeader).toBe(true);
  stage.server.requests.length = 0;
  return { stage, elector };
}
