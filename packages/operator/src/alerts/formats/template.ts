/**
 * Bodies from a user's Go template.
 *
 * If the result is a JSON object, it is the whole body. Any other result becomes the text of the channel's simplest
 * message, so a user can change the words without knowing the format.
 */
import type { AlertChannelName } from '../../reloader/model/config.ts';
import { TemplateError } from '../../template/index.ts';
import type { TemplateRenderer } from '../../template/renderer.ts';
import { alertTextOf, timeText } from '../alert-text.ts';
import {
  type Alert,
  type AlertMessage,
  type Body,
  type Format,
  json,
  type LateFormat,
  plainText,
} from '../message.ts';
import { adaptiveCard } from './teams.ts';

export type TextBody = (text: string) => Body;

export const TEXT_BODIES: Readonly<Record<AlertChannelName | 'messageCard', TextBody>> = {
  slack: (text) => json({ text }),
  googleChat: (text) => json({ text }),
  teams: (text) => adaptiveCard([{ type: 'TextBlock', text, wrap: true }]),
  messageCard: (text) => json({ text }),
  customWebhook: plainText,
};

/** Above any limit of the channels themselves. */
const MOST_BYTES = 65_536;

export interface UserTemplate {
  readonly source: string;
  /** The template's owner: a namespace, or empty for the operator's own. */
  readonly tenant: string;
  readonly renderer: TemplateRenderer;
}

/** The usual message, with the reason, if the template has a mistake or cannot be rendered for this alert. */
export function templateOr(template: UserTemplate, textBody: TextBody, usual: Format): LateFormat {
  const format = templateFormat(template, textBody);
  return async (alert) => {
    try {
      return await format(alert);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return { ...usual(alert), complaint: error.message };
    }
  };
}

/** Throws a `TemplateError` for an error in the template or in rendering this message. */
export function templateFormat(
  { source, tenant, renderer }: UserTemplate,
  textBody: TextBody,
): (alert: Alert) => Promise<Body> {
  return async (alert) => {
    const [text = ''] = await renderer.render({
      tenant,
      templates: [['template', source]],
      data: templateData(alert),
      maxOutputBytes: MOST_BYTES,
    });
    return isJsonObject(text) ? { contentType: 'application/json', text } : textBody(text);
  };
}

/** The data that a template can read. In a group, the fields of a single workload are those of the first one. */
export function templateData(alert: Alert): Record<string, unknown> {
  const { title, text, tone } = alertTextOf(alert);
  const [first] = alert.messages;
  return {
    title,
    text,
    color: tone,
    additionalInfo: alert.additionalInfo,
    count: alert.messages.length,
    ...itemOf(first),
    alerts: alert.messages.map(itemOf),
  };
}

function itemOf(message: AlertMessage): Record<string, unknown> {
  const { event, workload, resources, strategy, at, error, deferral, configs } = message;
  return {
    event,
    time: timeText(at),
    workload: { ...workload },
    resource: resources[0] && { ...resources[0] },
    resources: resources.map((resource) => ({ ...resource })),
    strategy,
    error,
    reason: deferral?.why,
    message: deferral?.message,
    until: deferral?.until === undefined ? undefined : timeText(deferral.until),
    config: configs[0],
    configs: [...configs],
  };
}

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
