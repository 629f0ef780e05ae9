/** A Greeting becomes a ConfigMap; when it goes, somebody is told goodbye. */
import { ConfigurationError, kinds, operator } from '@reloader/runtime';
import { defineKind, Type } from '@reloader/runtime/kind';

export const Greeting = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Greeting',
  description: 'Says hello to somebody.',
  spec: Type.Object({
    who: Type.String({ description: 'Whom to greet.', minLength: 1, maxLength: 64 }),
    polite: Type.Optional(Type.Boolean({ description: 'With a bow.' })),
  }),
  status: { text: Type.Optional(Type.String({ description: 'What was said.' })) },
});

export const greetings = operator(Greeting)
  .owns(kinds.ConfigMap)
  .cleanup(async ({ object, event }) => event('Normal', 'Goodbye', `Goodbye ${object.spec.who}`))
  .reconcile(async ({ object: { metadata, spec }, ensure, status }) => {
    if (spec.who === 'nobody')
      throw new ConfigurationError('Nobody is not greeted: name somebody in spec.who');
    const text = `${spec.polite ? 'Good day' : 'Hello'} ${spec.who}`;
    await ensure(kinds.ConfigMap, metadata.name, (draft) => {
      draft.data = { text };
    });
    status.text = text;
  });
