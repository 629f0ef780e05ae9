/** A card (cardsV2) for a webhook of a Google Chat space. */

import { alertTextOf, type Tone } from '../alert-text.ts';
import { type Format, json } from '../message.ts';

const COLORS: Readonly<Record<Tone, string>> = { good: '#36a64f', warning: '#e0a800', danger: '#d32f2f' };

export const googleChatFormat: Format = (alert) => {
  const { short, title, text, tone, facts } = alertTextOf(alert);
  const [{ workload }] = alert.messages;
  const subtitle =
    alert.messages.length === 1 ? `${workload.kind}/${workload.name}` : `${alert.messages.length} workloads`;
  const widgets = [
    { textParagraph: { text: `<font color="${COLORS[tone]}">${html(text)}</font>` } },
    ...facts.map(({ name, value }) => ({
      decoratedText: { topLabel: name, text: html(value), wrapText: true },
    })),
  ];
  return json({
    fallbackText: short,
    cardsV2: [{ cardId: 'reload', card: { header: { title, subtitle }, sections: [{ widgets }] } }],
  });
};

/** Cards interpret a few HTML tags. */
function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\n', '<br>');
}
