/** An attachment for an incoming webhook of Slack, and for the many receivers that accept the same format. */

import { alertTextOf, TIME, type Tone } from '../alert-text.ts';
import { type Format, json } from '../message.ts';

const COLORS: Readonly<Record<Tone, string>> = { good: '#36a64f', warning: '#ffcc00', danger: '#ff0000' };

export const slackFormat: Format = (alert) => {
  const { short, title, text, tone, facts } = alertTextOf(alert);
  const attachment = {
    fallback: escapeText(short),
    color: COLORS[tone],
    title: escapeText(title),
    text: escapeText(text),
    fields: facts
      .filter(({ name }) => name !== TIME)
      .map(({ name, value, long }) => ({ title: name, value: escapeText(value), short: !long })),
    footer: 'Reloader Operator',
    ts: Math.floor(alert.messages[0].at / 1000),
  };
  return json({ attachments: [attachment] });
};

/** Slack's rule for texts: unescaped, `<!channel>` in an error would notify the whole channel. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
