/** Where to tell people about reloads. `url` or `secretRef`, either is enough; a url that is empty counts as none. */
import { choice, type JsonSchema, list, namespaceName, objectName, text } from '../json-schema.ts';

const channel = (description: string, more: JsonSchema['properties'] = {}): JsonSchema => ({
  description,
  type: 'object',
  properties: {
    url: text('The webhook. Whoever may read this object can read it: prefer `secretRef`.', {
      maxLength: 2048,
      pattern: '^(https?://.+)?$',
    }),
    secretRef: {
      description: 'A key of a Secret that holds the webhook. `url` wins where both are given.',
      type: 'object',
      required: ['name'],
      properties: {
        name: objectName('The Secret.'),
        key: text('Its key; `url` unless given.', {
          minLength: 1,
          maxLength: 253,
          pattern: '^[-._a-zA-Z0-9]+$',
        }),
        namespace: namespaceName("The Secret's namespace; that of the ReloaderConfig unless given."),
      },
    },
    events: list(
      'What is told; everything unless given.',
      8,
      choice('One of them.', 'reloaded', 'failed', 'deferred'),
    ),
    template: text(
      'A Go template over the message. A result that is a JSON object is sent as it is, any other as the text of the message.',
      { maxLength: 8192 },
    ),
    ...more,
  },
  'x-kubernetes-validations': [
    {
      rule: "has(self.secretRef) || (has(self.url) && self.url != '')",
      message: 'a channel needs url or secretRef',
    },
  ],
});

export const alerts: JsonSchema = {
  description: 'Where to tell about the reloads that this object asks for: each channel gets every one.',
  type: 'object',
  properties: {
    slack: channel('An incoming webhook of Slack.'),
    teams: channel('A webhook of Microsoft Teams.', {
      format: choice(
        'Adaptive Cards are what Workflows take, messageCard is for old connectors. Told by the host of the URL unless given.',
        'adaptiveCard',
        'messageCard',
      ),
    }),
    googleChat: channel('A webhook of a Google Chat space.'),
    customWebhook: channel('Any other receiver; it gets the same body as Slack.'),
  },
};
