/** Reads `spec.alerts` of a ReloaderConfig. An invalid channel is reported as a problem; the others still work. */
import { compileTemplate, TemplateError } from '../../template/index.ts';
import {
  ALERT_CHANNELS,
  ALERT_EVENTS,
  type AlertChannelName,
  type AlertEvent,
  type ChannelFacts,
  TEAMS_FORMATS,
} from '../model/config.ts';
import { Hidden } from '../model/hidden.ts';
import type { Fields } from './config-fields.ts';

/** Shared, because most configs have no channels. */
const NONE: readonly ChannelFacts[] = [];

export function alertChannelsOf(spec: Fields, namespace: string): readonly ChannelFacts[] {
  if (!spec.has('alerts')) return NONE;
  const alerts = spec.object('alerts');
  return ALERT_CHANNELS.flatMap((channel) =>
    alerts.has(channel) ? channelOf(channel, alerts.object(channel), namespace) : [],
  );
}

function channelOf(channel: AlertChannelName, fields: Fields, namespace: string): ChannelFacts[] {
  const url = fields.text('url') || undefined;
  const secretRef = url === undefined ? secretOf(fields, namespace) : undefined;
  const template = templateOf(fields);
  const format = channel === 'teams' ? fields.choice('format', TEAMS_FORMATS) : undefined;
  const events = eventsOf(fields);
  if (url === undefined && secretRef === undefined) {
    if (!fields.has('secretRef')) fields.problem('secretRef', 'is required where there is no url');
    return [];
  }
  return [
    { channel, url: url === undefined ? undefined : new Hidden(url), secretRef, events, template, format },
  ];
}

function secretOf(fields: Fields, ownNamespace: string): ChannelFacts['secretRef'] {
  if (!fields.has('secretRef')) return undefined;
  const secret = fields.object('secretRef');
  const name = secret.name('name');
  const namespace = secret.text('namespace') || ownNamespace;
  const key = secret.text('key') || 'url';
  return name === undefined ? undefined : { namespace, name, key };
}

function eventsOf(fields: Fields): readonly AlertEvent[] {
  const named = fields.names('events');
  if (named.length === 0) return ALERT_EVENTS;
  const known = ALERT_EVENTS.filter((event) => named.includes(event));
  if (known.length < new Set(named).size)
    fields.problem('events', `must be some of ${ALERT_EVENTS.join(', ')}`);
  return known;
}

/**
 * Longer templates are parsed when an alert is sent, by the thread that renders them, so that they block nothing else.
 * Errors in shorter ones, which users write by hand, are reported at once.
 */
const READ_AT_ONCE = 2_048;

/** An invalid template counts as none: the channel then gets the default message. */
function templateOf(fields: Fields): string | undefined {
  const template = fields.text('template');
  if (template === undefined || template === '') return undefined;
  if (template.length > READ_AT_ONCE) return template;
  try {
    compileTemplate(template, { name: 'template' });
    return template;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    fields.problem('template', error.message);
    return undefined;
  }
}
