/**
 * The channels of ReloaderConfigs that failed in this process.
 *
 * A failure is kept until the channel works again, or until a user changes the config or the Secret with the URL. After
 * such a change the next message shows whether it works.
 */
import type { ConfigFacts } from '../reloader/model/config.ts';
import type { World } from '../reloader/model/world.ts';
import type { Destination } from './delivery/sender.ts';

interface Failure {
  readonly channel: string;
  readonly why: string;
  /** The versions of the objects that it depends on, at the time of the failure. */
  readonly stamp: string;
}

type KnownWorld = Pick<World, 'config' | 'source'>;

export class AlertFailures {
  readonly #world: KnownWorld;
  /** By `namespace/name` of the config, then by the channel. */
  readonly #failures = new Map<string, Map<string, Failure>>();

  constructor(world: KnownWorld) {
    this.#world = world;
  }

  /** True if it is new: not known yet, with another reason, or after a change of the config or the Secret. */
  failed({ config, channel }: Pick<Destination, 'config' | 'channel'>, why: string): boolean {
    const facts = config && this.#world.config(config);
    if (!facts) return false;
    const failures = this.#failures.get(keyOf(facts)) ?? new Map<string, Failure>();
    const known = failures.get(channel);
    const stamp = this.#stampOf(facts, channel);
    failures.set(channel, { channel, why, stamp });
    this.#failures.set(keyOf(facts), failures);
    return known?.why !== why || known.stamp !== stamp;
  }

  /** True if it had failed before. */
  sent({ config, channel }: Pick<Destination, 'config' | 'channel'>): boolean {
    const failures = config && this.#failures.get(`${config.namespace}/${config.name}`);
    return failures?.delete(channel) ?? false;
  }

  /** As texts for a condition. */
  of(config: ConfigFacts): string[] {
    const failures = [...(this.#failures.get(keyOf(config))?.values() ?? [])];
    return failures
      .filter(({ channel, stamp }) => stamp === this.#stampOf(config, channel))
      .map(({ channel, why }) => `${channel}: ${why}`);
  }

  forget(config: string): void {
    this.#failures.delete(config);
  }

  #stampOf(config: ConfigFacts, channel: string): string {
    const secret = config.alerts.find((each) => each.channel === channel)?.secretRef;
    const state =
      secret && this.#world.source({ kind: 'Secret', namespace: secret.namespace, name: secret.name });
    const digest = state?.kind === 'present' ? state.facts.digest : state?.kind;
    return `${config.metadata.uid} ${config.generation} ${digest}`;
  }
}

function keyOf({ metadata }: ConfigFacts): string {
  return `${metadata.namespace}/${metadata.name}`;
}
