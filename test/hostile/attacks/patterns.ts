/** Lists of hostile expressions on workloads, in a namespace full of names chosen to match them slowly. */
import { kinds } from '@reloader/runtime';
import { createRandom } from '@reloader/runtime/testing';
import { expect } from 'vitest';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack } from '../harness.ts';
import { HOSTILE_PATTERNS } from '../hostile-patterns.ts';

const SEED = 17;
const LISTS = 20;
const NAMES = 60;
const LONGEST_NAME = 253;
const PATIENCE_MS = 90_000;

export function patterns(): Attack {
  const names = hostileNames();
  return {
    title: `${HOSTILE_PATTERNS.length} hostile patterns, and names for them`,
    async prepare({ client, namespace }) {
      const evil = await namespace('evil');
      for (const name of names)
        await client.create(kinds.ConfigMap, { metadata: { namespace: evil, name }, data: { key: 'one' } });
      for (let index = 0; index < LISTS; index += 1) {
        const own = HOSTILE_PATTERNS.filter((_, at) => at % LISTS === index).join(',');
        const options = { annotations: { 'configmap/reload': own }, replicas: 0 };
        await client.create(kinds.Deployment, workload('Deployment', `bomb-${index}`, evil, options));
      }
      // Reported bug: eight of these kept a starting operator busy for 108 seconds.
      for (let index = 0; index < 8; index += 1) {
        const bad = Array.from({ length: 120 }, (_, at) => `(?i)${'\\pL'.repeat(490)}(${at}`).join(',');
        const options = { annotations: { 'configmap/reload': bad }, replicas: 0 };
        await client.create(kinds.Deployment, workload('Deployment', `reported-${index}`, evil, options));
      }
    },
    async strike({ client, nameOf }, victim) {
      for (const name of names.slice(0, 15)) {
        const key = { namespace: nameOf('evil'), name };
        await client.patch(kinds.ConfigMap, key, { type: 'merge', body: { data: { key: 'two' } } });
      }
      // Every workload with such a list gets an Event.
      const told = async (): Promise<number> => {
        const { items } = await client.list(kinds.CoreEvent, { namespace: nameOf('evil') });
        const about = items as unknown as { reason?: string; involvedObject?: { name?: string } }[];
        const named = about.filter(({ reason }) => reason === 'InvalidExpression');
        return new Set(named.map(({ involvedObject }) => involvedObject?.name)).size;
      };
      await poll(async () => (await told()) >= LISTS + 8, {
        what: 'every hostile list to be told',
        timeout: PATIENCE_MS,
        every: 250,
      });
      expect(victim.log()).not.toContain('ended');
    },
  };
}

/** Letters in random order, so that no two names lead an expression through the same states. */
function hostileNames(): string[] {
  const random = createRandom(SEED);
  return Array.from({ length: NAMES }, (_, index) => {
    const tail = `-${index}`;
    const letters = Array.from({ length: LONGEST_NAME - tail.length }, () =>
      random.next() < 0.5 ? 'a' : 'b',
    );
    return `${letters.join('')}${tail}`;
  });
}
