/**
 * Global alerts. Two programs named them: flags have the meaning of the ReloaderConfig operator, environment variables
 * that of Stakater Reloader, which shows where they differ: the sink `webhook`, and what a missing URL means.
 */
import type { ParsedFlags } from './arguments.ts';
import { type Environment, variable } from './environment.ts';
import type { AlertSettings, Notice } from './settings.ts';
import { BadValue, UsageError } from './usage-error.ts';
import { url } from './value-types.ts';

export function alertSettings(
  flags: ParsedFlags,
  environment: Environment,
  notices: Notice[],
): AlertSettings | undefined {
  const { values, given } = flags;
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
  notices.push({ level: 'warn', message: 'Alerts are configured but this version does not send them' });
  return {
    sink: sinkOf(flags, environment, byFlag),
    url: target,
    proxy: variable(environment, 'ALERT_WEBHOOK_PROXY'),
    additionalInfo: given.has('alert-additional-info')
      ? values['alert-additional-info'] || undefined
      : variable(environment, 'ALERT_ADDITIONAL_INFO'),
  };
}

function sinkOf(
  { values, given }: ParsedFlags,
  environment: Environment,
  byFlag: boolean,
): AlertSettings['sink'] {
  const named = variable(environment, 'ALERT_SINK')?.trim().toLowerCase();
  if (given.has('alert-sink') || (byFlag && named === undefined)) {
    const sink = values['alert-sink'];
    return sink === 'webhook' ? 'slack' : sink;
  }
  return named === 'slack' || named === 'teams' || named === 'gchat' ? named : 'raw';
}

/** A mistake here must not keep an operator from starting that started with it before. */
function urlFromEnvironment(environment: Environment, notices: Notice[]): string | undefined {
  try {
    return url.read([variable(environment, 'ALERT_WEBHOOK_URL') ?? '']);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    notices.push({ level: 'error', message: `ALERT_WEBHOOK_URL ${error.message}` });
    return undefined;
  }
}
