/** ConfigMaps full of annotations that nearly match ours: each would be looked up and reported. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { poll } from '../../control-plane/poll.ts';
import type { Attack, Ground } from '../harness.ts';

const OBJECTS = 200;
const EACH = 200;
const AT_ONCE = 20;
const PATIENCE_MS = 60_000;
const PREFIX = 'reloader.stakater.com';

/** About as long as ours, so that each is compared with all of them. */
const NAMES = ['atuo', 'serach', 'rollout-strateg', 'freez-reason', 'last-reloaded-form', 'max-concurent'];
const annotations = Object.fromEntries(
  Array.from({ length: EACH }, (_, index) => [`${PREFIX}/${NAMES[index % NAMES.length]}${index}`, 'true']),
);

export function mistypedAnnotations(): Attack {
  return {
    title: `${OBJECTS} ConfigMaps with ${EACH} annotations that are nearly ours`,
    async prepare(ground) {
      await ground.namespace('evil');
      await create(ground, 'before', OBJECTS / 2);
    },
    async strike(ground) {
      await create(ground, 'after', OBJECTS / 2);
      await poll(async () => (await warned(ground)).some(({ name }) => name.startsWith('after')), {
        what: 'a Warning about one of them',
        timeout: PATIENCE_MS,
      });
    },
    async judge(ground) {
      const most = new Map<string, number>();
      for (const { name } of await warned(ground)) most.set(name, (most.get(name) ?? 0) + 1);
      expect(Math.max(...most.values()), 'Events about one object').toBeLessThanOrEqual(3);
    },
  };
}

async function create({ client, nameOf }: Ground, prefix: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        client.create(kinds.ConfigMap, {
          metadata: { namespace: nameOf('evil'), name: `${prefix}-${index + n}`, annotations },
        }),
      ),
    );
  }
}

async function warned({ client, nameOf }: Ground): Promise<{ readonly name: string }[]> {
  const { items } = await client.list(kinds.CoreEvent, { namespace: nameOf('evil') });
  const events = items as unknown as { reason?: string; involvedObject?: { name?: string } }[];
  return events
    .filter(({ reason }) => reason === 'UnknownAnnotation')
    .map(({ involvedObject }) => ({ name: involvedObject?.name ?? '' }));
}
