/**
 * Statements about the alert channels of a config: namespaces that do not allow it, and alerts that could not be sent.
 * They do not tell whether a Secret exists: a user who may write a config may have no right to read Secrets.
 */

import type { ConfigFacts } from '../../model/config.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import type { World } from '../../model/world.ts';
import { crossNamespaceDenied } from '../../want/cross-namespace.ts';
import type { Statement } from './statement.ts';

/** A broken channel does not prevent reloads, so it does not degrade the config. */
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
