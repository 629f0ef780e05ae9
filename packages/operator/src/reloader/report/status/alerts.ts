/** What there is to say about the alert channels of a config: Secrets that are not there, and what could not be sent. */

import type { ChannelFacts, ConfigFacts } from '../../model/config.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import type { World } from '../../model/world.ts';
import { crossNamespaceDenied } from '../../want/cross-namespace.ts';
import type { Statement } from './statement.ts';

/** A channel that does not work keeps no workload from being reloaded, so this does not degrade the config. */
export function aboutAlerts(
  config: ConfigFacts,
  world: Pick<World, 'namespace' | 'source'>,
  settings: ReloaderSettings,
  failures: readonly string[],
): Statement[] {
  const foreseen = config.alerts.flatMap((channel) => {
    const why = whyUnreachable(config, channel, world, settings);
    return why === undefined ? [] : [`${channel.channel}: ${why}`];
  });
  return [...new Set([...foreseen, ...failures])].map((message) => ({ reason: 'AlertFailed', message }));
}

function whyUnreachable(
  config: ConfigFacts,
  { secretRef }: ChannelFacts,
  world: Pick<World, 'namespace' | 'source'>,
  settings: ReloaderSettings,
): string | undefined {
  if (!secretRef) return undefined;
  const denial = crossNamespaceDenied(config, secretRef, world, settings);
  if (denial) return denial.message;
  const { namespace, name } = secretRef;
  const { kind } = world.source({ kind: 'Secret', namespace, name });
  return kind === 'gone' ? `Secret ${namespace}/${name} does not exist` : undefined;
}
