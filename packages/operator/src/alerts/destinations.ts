/**
 * The receivers of a message: the global one, and each channel of the ReloaderConfigs that asked for the reload. A user
 * who may edit a workload may write any config into its ledger, so a config gets the message only if it targets the
 * workload now, and may.
 */
import { type Client, parseKey } from '@reloader/runtime';
import type { AlertChannelName, ChannelFacts, ConfigFacts } from '../reloader/model/config.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import { type WorkloadRef, workloadKey } from '../reloader/model/workload.ts';
import type { World } from '../reloader/model/world.ts';
import { crossNamespaceDenied } from '../reloader/want/cross-namespace.ts';
import type { AlertSettings, GlobalAlertSettings } from '../settings/settings.ts';
import type { TemplateRenderer } from '../template/renderer.ts';
import { DeliveryError } from './delivery/error.ts';
import type { Destination } from './delivery/sender.ts';
import { chooseFormat } from './formats/choose.ts';
import { stakaterFormat } from './formats/stakater.ts';
import { templateOr, type UserTemplate } from './formats/template.ts';
import { type AlertMessage, type LateFormat, plainText } from './message.ts';
import { parseUrl, urlFromSecret } from './secret-url.ts';

export interface DestinationsOptions {
  readonly client: Client;
  readonly world: Pick<World, 'config' | 'namespace'>;
  readonly settings: Pick<ReloaderSettings, 'allowCrossNamespace'>;
  readonly alerts: AlertSettings;
  readonly templates: TemplateRenderer;
}

const CHANNEL_OF_SINK: Readonly<Record<Exclude<GlobalAlertSettings['sink'], 'raw'>, AlertChannelName>> = {
  slack: 'slack',
  teams: 'teams',
  gchat: 'googleChat',
  webhook: 'customWebhook',
};

export class Destinations {
  readonly #options: DestinationsOptions;
  readonly #global: Destination | undefined;

  constructor(options: DestinationsOptions) {
    this.#options = options;
    this.#global = options.alerts.global && globalDestination(options.alerts.global, options.templates);
  }

  of({ event, configs, workload }: Pick<AlertMessage, 'event' | 'configs' | 'workload'>): Destination[] {
    const { alerts } = this.#options;
    const channels = configs.flatMap((key) => {
      const config = this.#asking(key, workload);
      const wanted = config?.alerts.filter(({ events }) => events.includes(event)) ?? [];
      return config ? wanted.map((channel) => this.#ofChannel(config, channel)) : [];
    });
    const global = alerts.global?.events.includes(event) ? this.#global : undefined;
    return global ? [global, ...channels] : channels;
  }

  /** Undefined if the config does not exist, does not target the workload, or may not reach it. */
  #asking(key: string, workload: WorkloadRef): ConfigFacts | undefined {
    const { world, settings } = this.#options;
    const { namespace = '', name } = parseKey(key);
    const config = world.config({ namespace, name });
    if (!config || config.ignored) return undefined;
    const wanted = workloadKey(workload);
    if (!config.targets.some((target) => workloadKey(target) === wanted)) return undefined;
    return crossNamespaceDenied(config, workload, world, settings) ? undefined : config;
  }

  #ofChannel({ metadata }: ConfigFacts, facts: ChannelFacts): Destination {
    const { channel, url, secretRef, format } = facts;
    const { client, world, settings } = this.#options;
    const config = `${metadata.namespace}/${metadata.name}`;
    const template = userTemplate(facts.template, metadata.namespace, this.#options.templates);
    return {
      id: `${channel} of ${config}`,
      channel,
      name: `${channel} of ReloaderConfig ${config}`,
      config: { namespace: metadata.namespace, name: metadata.name },
      grouped: true,
      trusted: false,
      async url(signal) {
        if (url) return parseUrl(url.reveal(), `spec.alerts.${channel}.url`);
        if (!secretRef) throw refused('there is neither url nor secretRef');
        const denial = crossNamespaceDenied({ metadata }, secretRef, world, settings);
        if (denial) throw refused(denial.message);
        return urlFromSecret(client, secretRef, signal);
      },
      format: (target) => chooseFormat({ channel, template, teams: format }, target),
    };
  }
}

/** For errors that the author of the config could find alone: the text is shown in full. */
function refused(message: string): DeliveryError {
  return new DeliveryError(message, { retry: false, told: 'as it is' });
}

function userTemplate(
  source: string | undefined,
  tenant: string,
  renderer: TemplateRenderer,
): UserTemplate | undefined {
  return source === undefined ? undefined : { source, tenant, renderer };
}

function globalDestination(settings: GlobalAlertSettings, renderer: TemplateRenderer): Destination {
  const { sink, url, grouped } = settings;
  return {
    id: 'global',
    channel: sink === 'raw' ? 'raw' : CHANNEL_OF_SINK[sink],
    name: `the global receiver (${sink})`,
    config: undefined,
    grouped,
    trusted: true,
    url: async () => parseUrl(url.reveal(), 'the URL of global alerts'),
    format: (target) => globalFormat(settings, userTemplate(settings.template, '', renderer), target),
  };
}

function globalFormat(
  { words, sink, format }: GlobalAlertSettings,
  template: UserTemplate | undefined,
  url: URL,
): LateFormat {
  if (sink === 'raw')
    return template === undefined
      ? stakaterFormat('raw')
      : templateOr(template, plainText, stakaterFormat('raw'));
  if (words === 'stakater' && template === undefined) return stakaterFormat(sink);
  return chooseFormat({ channel: CHANNEL_OF_SINK[sink], template, teams: format }, url);
}
