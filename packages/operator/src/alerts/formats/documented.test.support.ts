/** Schemas of the bodies that each service's webhooks accept, from its documentation, as far as alerts use them. */
import type { Schema } from './schema.test.support.ts';

const text: Schema = { type: 'string', pattern: /\S/ };
const flag: Schema = { type: 'boolean' };
const object = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
});
const list = (items: Schema, most = 100): Schema => ({ type: 'array', items, minItems: 1, maxItems: most });

/** Slack: "Reference: Secondary message attachments"; escaped by its rules for mrkdwn. */
const slackText: Schema = { type: 'string', pattern: /^(?:[^<>&]|&(?:amp|lt|gt);)+$/ };
export const SLACK_ATTACHMENTS: Schema = object(
  {
    attachments: list(
      object(
        {
          fallback: slackText,
          color: { type: 'string', pattern: /^(good|warning|danger|#[0-9a-f]{6})$/ },
          title: slackText,
          text: slackText,
          fields: {
            type: 'array',
            items: object({ title: slackText, value: slackText, short: flag }, 'title', 'value'),
          },
          footer: { type: 'string', maxLength: 300 },
          ts: { type: 'integer' },
        },
        'fallback',
        'color',
      ),
      20,
    ),
  },
  'attachments',
);

/** Microsoft: "Legacy actionable message card reference": `summary` or `text` is required. */
export const MESSAGE_CARD: Schema = object(
  {
    '@type': { type: 'string', const: 'MessageCard' },
    '@context': { type: 'string', pattern: /^https?:\/\/schema\.org\/extensions$/ },
    summary: text,
    themeColor: { type: 'string', pattern: /^[0-9a-f]{6}$/i },
    sections: list(
      object({
        activityTitle: text,
        activitySubtitle: text,
        facts: { type: 'array', items: object({ name: text, value: text }, 'name', 'value') },
        markdown: flag,
      }),
      10,
    ),
  },
  '@type',
  '@context',
  'summary',
);

/** Microsoft: "Create incoming webhooks with Workflows", and the schema of Adaptive Cards 1.4. */
const textBlock = object(
  {
    type: { type: 'string', const: 'TextBlock' },
    text,
    size: { type: 'string', enum: ['Small', 'Default', 'Medium', 'Large', 'ExtraLarge'] },
    weight: { type: 'string', enum: ['Lighter', 'Default', 'Bolder'] },
    color: { type: 'string', enum: ['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention'] },
    wrap: flag,
  },
  'type',
  'text',
);
const factSet = object(
  {
    type: { type: 'string', const: 'FactSet' },
    facts: list(object({ title: text, value: text }, 'title', 'value')),
  },
  'type',
  'facts',
);
export const ADAPTIVE_CARD_MESSAGE: Schema = object(
  {
    type: { type: 'string', const: 'message' },
    attachments: list(
      object(
        {
          contentType: { type: 'string', const: 'application/vnd.microsoft.card.adaptive' },
          contentUrl: { type: 'null' },
          content: object(
            {
              $schema: { type: 'string', const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
              type: { type: 'string', const: 'AdaptiveCard' },
              version: { type: 'string', const: '1.4' },
              msteams: object({ width: { type: 'string', const: 'Full' } }),
              body: list({ oneOf: [textBlock, factSet] }),
            },
            'type',
            'version',
            'body',
          ),
        },
        'contentType',
        'contentUrl',
        'content',
      ),
    ),
  },
  'type',
  'attachments',
);

/** Google: "REST Resource: spaces.messages", `cardsV2[]`; texts of widgets read a few tags of HTML. */
const chatHtml: Schema = {
  type: 'string',
  pattern: /^(?:[^<>&]|&(?:amp|lt|gt);|<br>|<\/?font(?: color="#[0-9a-f]{6}")?>)+$/,
};
const widget: Schema = {
  oneOf: [
    object({ textParagraph: object({ text: chatHtml }, 'text') }, 'textParagraph'),
    object(
      { decoratedText: object({ topLabel: text, text: chatHtml, wrapText: flag }, 'text') },
      'decoratedText',
    ),
  ],
};
export const CARDS_V2: Schema = object(
  {
    fallbackText: text,
    cardsV2: list(
      object(
        {
          cardId: text,
          card: object({
            header: object({ title: text, subtitle: text }, 'title'),
            sections: list(object({ widgets: list(widget) }, 'widgets')),
          }),
        },
        'cardId',
        'card',
      ),
    ),
  },
  'cardsV2',
);
