/** Alert channels. `url` or `secretRef`, either is enough; an empty url counts as absent. */
import { choice, list, namespaceName, object, objectName, type Typed, text } from '../json-schema.ts';

const channel = <const P extends Readonly<Record<string, Typed<unknown>>> = Record<never, never>>(
  description: string,
  more: P = {} as P,
) =>
  object(
    description,
    {
      url: text('The webhook. Everybody who may read this object can read it: prefer `secretRef`.', {
        maxLength: 2048,
        pattern: '^(https?://.+)?$',
      }),
      secretRef: object(
        'A key of a Secret that holds the webhook. `url` wins where both are given.',
        {
          name: objectName('The Secret.'),
          key: text('Its key; `url` unless given.', {
            minLength: 1,
            maxLength: 253,
            pattern: '^[-._a-zA-Z0-9]+$',
          }),
          namespace: namespaceName("The Secret's namespace; that of the ReloaderConfig unless given."),
        },
        { required: ['name'] },
      ),
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
    {
      'x-kubernetes-validations': [
        {
          rule: "has(self.secretRef) || (has(self.url) && self.url != '')",
          message: 'a channel needs url or secretRef',
        },
      ],
    },
  );

export const alerts = object(
  'Where to tell about the reloads that this object asks for: each channel gets every one.',
  {
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
);
