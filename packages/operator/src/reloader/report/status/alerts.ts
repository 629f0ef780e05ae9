/**
 * What there is to say about the alert channels of a config: namespaces that do not allow it, and what could not be sent.
 * Whether a Secret exists is not told: whoever may write a config may not be allowed to ask.
 */

import type { ConfigFacts } from '../../model/config.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import type { World } from '../../model/world.ts';
import { crossNamespaceDenied } from '../../want/cross-namespace.ts';
import type { Statement } from './statement.ts';

/** A channel that does not work keeps no workload from being reloaded, so this does not degrade the config. */
export function aboutAlerts(
  config: ConfigFacts,
  world: Pick<World, 'namespace'>,
  settings: ReloaderSettings,
  failures: readonly string[],
): Statement[] {
  const foreseen = config.alerts.flatMap(({ channel, secretRef }) => {
    const denial = secretRef && crossNamespaceDenied(config, secretRef, world, settings);
    return denial ? [`${channel}: ${denial.message}`] : [];
  });
  return [...new Set([...foreseen, ...failures])].map((message) => ({ reason: 'AlertFailed', message }));
}
