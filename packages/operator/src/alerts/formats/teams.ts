/**
 * The two formats of Microsoft Teams: Adaptive Cards for webhooks of Workflows, message cards for the old connectors,
 * which accept no others.
 */

import { alertTextOf, type Tone } from '../alert-text.ts';
import { type Body, type Format, json } from '../message.ts';

const THEME: Readonly<Record<Tone, string>> = { good: '00ff00', warning: 'ffcc00', danger: 'ff0000' };
const CARD_COLORS: Readonly<Record<Tone, string>> = { good: 'Good', warning: 'Warning', danger: 'Attention' };

/** The hosts of connectors: `outlook.office.com`, and later `TENANT.webhook.office.com`. */
const OLD_CONNECTOR = /(^|\.)(outlook\.office(365)?\.com|webhook\.office\.com)$/i;

export function isOldConnector({ hostname }: URL): boolean {
  return OLD_CONNECTOR.test(hostname);
}

export const messageCardFormat: Format = (alert) => {
  const { title, text, tone, facts } = alertTextOf(alert);
  const section = {
    activityTitle: title,
    activitySubtitle: text.replaceAll('\n', '\n\n'),
    facts: facts.map(({ name, value }) => ({ name, value })),
    markdown: true,
  };
  return json({
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    summary: title,
    themeColor: THEME[tone],
    sections: [section],
  });
};

export const adaptiveCardFormat: Format = (alert) => {
  const { title, text, tone, facts } = alertTextOf(alert);
  const short = facts.filter(({ long }) => !long);
  return adaptiveCard([
    {
      type: 'TextBlock',
      text: title,
      size: 'Medium',
      weight: 'Bolder',
      color: CARD_COLORS[tone],
      wrap: true,
    },
    { type: 'TextBlock', text: text.replaceAll('\n', '\n\n'), wrap: true },
    { type: 'FactSet', facts: short.map(({ name, value }) => ({ title: name, value })) },
    ...facts
      .filter(({ long }) => long)
      .map(({ value }) => ({ type: 'TextBlock', text: value, color: 'Attention', wrap: true })),
  ]);
};

/** A card in the envelope that webhooks expect. */
export function adaptiveCard(body: readonly object[]): Body {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body,
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return json({ type: 'message', attachments: [{ contentType, contentUrl: null, content }] });
}
