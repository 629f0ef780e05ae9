/** Chooses the format for a channel. */
import type { AlertChannelName, TeamsFormat } from '../../reloader/model/config.ts';
import type { Format, LateFormat } from '../message.ts';
import { googleChatFormat } from './google-chat.ts';
import { slackFormat } from './slack.ts';
import { adaptiveCardFormat, isOldConnector, messageCardFormat } from './teams.ts';
import { TEXT_BODIES, templateOr, type UserTemplate } from './template.ts';

export interface FormatChoice {
  readonly channel: AlertChannelName;
  readonly template: UserTemplate | undefined;
  /** The format of Teams; undefined: the URL decides. */
  readonly teams: TeamsFormat | undefined;
}

/** For the URL at the moment of sending: for Teams its host decides. */
export function chooseFormat({ channel, template, teams }: FormatChoice, url: URL): LateFormat {
  const old =
    channel === 'teams' &&
    (teams ?? (isOldConnector(url) ? 'messageCard' : 'adaptiveCard')) === 'messageCard';
  const usual = usualFormat(channel, old);
  return template === undefined
    ? usual
    : templateOr(template, TEXT_BODIES[old ? 'messageCard' : channel], usual);
}

function usualFormat(channel: AlertChannelName, old: boolean): Format {
  switch (channel) {
    case 'slack':
    case 'customWebhook':
      return slackFormat;
    case 'teams':
      return old ? messageCardFormat : adaptiveCardFormat;
    case 'googleChat':
      return googleChatFormat;
  }
}
