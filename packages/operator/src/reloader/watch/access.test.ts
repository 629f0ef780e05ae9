import type { Client } from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ConfigMaps, Namespaces, Secrets } from '../model/kinds.ts';
import { reviewAccess } from './access.ts';

interface Question {
  readonly verb: string;
  readonly resource: string;
  readonly namespace?: string;
}

function review(answer: (question: Question) => boolean, namespaces: readonly string[] = []) {
  const asked: Question[] = [];
  let running = 0;
  let most = 0;
  const client = {
    create: async (_: unknown, object: unknown) => {
      const { spec } = object as { spec: { resourceAttributes: Question } };
      asked.push(spec.resourceAttributes);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { status: { allowed: answer(spec.resourceAttributes) } };
    },
  } as unknown as Pick<Client, 'create'>;
  const { logger } = createCapturingLogger();
  return { asked, most: () => most, access: reviewAccess({ client, namespaces, logger }) };
}

describe('Access', () => {
  it('is asked once for each verb and kind, for the whole cluster', async () => {
    const { asked, access } = review(() => true);
    expect((await access).denied).toEqual([]);
    const questions = asked.map(({ verb, resource }) => `${verb} ${resource}`);
    expect(new Set(questions).size).toBe(questions.length);
    expect(questions).toEqual(expect.arrayContaining(['watch secrets', 'patch deployments', 'delete jobs']));
    expect(asked.every(({ namespace }) => namespace === undefined)).toBe(true);
  });

  it('is asked for each namespace where only those are watched', async () => {
    const { access } = review(
      ({ resource, namespace }) => resource !== 'secrets' || namespace === 'a',
      ['a', 'b'],
    );
    const { may, maySomewhere, denied } = await access;
    expect([may('list', Secrets), maySomewhere('list', Secrets)]).toEqual([false, true]);
    expect([may('list', ConfigMaps), maySomewhere('list', ConfigMaps)]).toEqual([true, true]);
    expect(denied).toEqual(['list secrets', 'watch secrets']);
  });

  it('to namespaces is asked without a namespace', async () => {
    const { asked, access } = review(() => true, ['a', 'b']);
    await access;
    expect(asked.filter(({ resource }) => resource === Namespaces.plural)).toEqual([
      { verb: 'list', group: '', version: 'v1', resource: 'namespaces' },
      { verb: 'watch', group: '', version: 'v1', resource: 'namespaces' },
    ]);
  });

  it('counts as given where the server does not answer', async () => {
    const { access } = review(() => {
      throw new Error('no answer');
    });
    expect((await access).may('watch', Secrets)).toBe(true);
  });

  it('is asked a few questions at a time', async () => {
    const { access, most } = review(() => true);
    await access;
    expect(most()).toBeLessThanOrEqual(64);
  });
});
