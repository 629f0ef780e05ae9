/**
 * Global alerts, and settings for all alerts. Two programs define them: flags have the meaning of the ReloaderConfig
 * operator, environment variables that of Stakater Reloader. They differ in the texts, the sink `webhook`, the reported
 * events (Stakater reports only success, and each reload separately), and the meaning of a missing URL.
 */
import { ALERT_EVENTS, type AlertEvent } from '../reloader/model/config.ts';
import { Hidden } from '../reloader/model/hidden.ts';
import { compileTemplate, TemplateError } from '../template/index.ts';
import { badFlag, type ParsedFlags } from './arguments.ts';
import { type Environment, variable } from './environment.ts';
import type { AlertSettings, GlobalAlertSettings, Notice } from './settings.ts';
import { BadValue, UsageError } from './usage-error.ts';
import { url } from './value-types.ts';

const TEAMS_FORMAT = {
  auto: undefined,
  'adaptive-card': 'adaptiveCard',
  'message-card': 'messageCard',
} as const;

export function alertSettings(
  flags: ParsedFlags,
  environment: Environment,
  notices: Notice[],
): AlertSettings {
  const { values, given } = flags;
  return {
    global: globalSettings(flags, environment, notices),
    proxy: proxyOf(environment, notices),
    additionalInfo: given.has('alert-additional-info')
      ? values['alert-additional-info'] || undefined
      : variable(environment, 'ALERT_ADDITIONAL_INFO'),
    allowedHosts: values['alert-allowed-hosts'].map((host) => host.toLowerCase()),
    allowInternal: values['alert-allow-internal'],
    groupWindowMs: values['alert-group-window'],
  };
}

function globalSettings(
  flags: ParsedFlags,
  environment: Environment,
  notices: Notice[],
): GlobalAlertSettings | undefined {
  const { values, given } = flags;
  const events = eventsOf(values['alert-events']);
  const template = templateOf(values['alert-template']);
  const byFlag = given.has('alert-on-reload');
  const enabled = byFlag ? values['alert-on-reload'] : environment.ALERT_ON_RELOAD === 'true';
  if (!enabled) return undefined;
  const target = values['alert-webhook-url'] ?? urlFromEnvironment(environment, notices);
  if (target === undefined) {
    if (byFlag) throw new UsageError('--alert-on-reload needs to know where to: add --alert-webhook-url=URL');
    notices.push({
      level: 'error',
      message: 'ALERT_ON_RELOAD is true but there is no usable ALERT_WEBHOOK_URL: no alert will be sent',
    });
    return undefined;
  }
  return {
    words: byFlag ? 'cards' : 'stakater',
    sink: sinkOf(flags, environment, byFlag),
    url: new Hidden(target),
    events: events ?? (byFlag ? ALERT_EVENTS : ['reloaded']),
    template,
    format: TEAMS_FORMAT[values['alert-teams-format']],
    grouped: byFlag || given.has('alert-group-window'),
  };
}

function sinkOf(
  { values, given }: ParsedFlags,
  environment: Environment,
  byFlag: boolean,
): GlobalAlertSettings['sink'] {
  const named = variable(environment, 'ALERT_SINK')?.trim().toLowerCase();
  if (given.has('alert-sink') || (byFlag && named === undefined)) return values['alert-sink'];
  return named === 'slack' || named === 'teams' || named === 'gchat' ? named : 'raw';
}

function eventsOf(names: readonly string[]): readonly AlertEvent[] | undefined {
  if (names.length === 0) return undefined;
  const unknown = names.find((name) => !ALERT_EVENTS.some((event) => event === name));
  if (unknown !== undefined)
    throw badFlag('alert-events', names.join(','), `"${unknown}" must be ${ALERT_EVENTS.join(' or ')}`);
  return ALERT_EVENTS.filter((event) => names.includes(event));
}

function templateOf(source: string): string | undefined {
  if (source === '') return undefined;
  try {
    compileTemplate(source, { name: 'template' });
    return source;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw badFlag('alert-template', source, `must be a Go template: ${error.message}`);
  }
}

/** An operator that started with an invalid value before must still start with it. */
function urlFromEnvironment(environment: Environment, notices: Notice[]): string | undefined {
  try {
    return url.read([variable(environment, 'ALERT_WEBHOOK_URL') ?? '']);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    notices.push({ level: 'error', message: `ALERT_WEBHOOK_URL ${error.message}` });
    return undefined;
  }
}

/** If a proxy was configured, alerts never bypass it. */
function proxyOf(environment: Environment, notices: Notice[]): AlertSettings['proxy'] {
  const named = variable(environment, 'ALERT_WEBHOOK_PROXY')?.trim();
  if (!named) return undefined;
  const full = named.includes('://') ? named : `http://${named}`;
  if (/^https?:\/\//i.test(full) && URL.canParse(full)) return new Hidden(full);
  notices.push({
    level: 'error',
    message: 'ALERT_WEBHOOK_PROXY must be a URL that begins with http:// or https://: no alert will be sent',
  });
  return 'unusable';
}
