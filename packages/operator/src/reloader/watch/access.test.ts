import type { Client, kinds } from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ConfigMaps, Namespaces, Secrets, WORKLOAD_TYPES } from '../model/kinds.ts';
import { reviewAccess } from './access.ts';

interface Question {
  readonly verb: string;
  readonly resource: string;
  readonly namespace?: string;
}

type Rules = kinds.SelfSubjectRulesReviewObject['status'];

/** Without `rules` the server does not support SelfSubjectRulesReview. */
function review(
  answer: (question: Question) => boolean,
  namespaces: readonly string[] = [],
  rules?: (namespace: string) => Rules,
) {
  const asked: Question[] = [];
  const reviewed: string[] = [];
  let running = 0;
  let most = 0;
  const client = {
    create: async (_: unknown, object: unknown) => {
      const { kind, spec } = object as {
        kind: string;
        spec: { resourceAttributes: Question; namespace: string };
      };
      if (kind === 'SelfSubjectRulesReview') {
        if (!rules) throw new Error('no such review');
        reviewed.push(spec.namespace);
        return { status: rules(spec.namespace) };
      }
      asked.push(spec.resourceAttributes);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { status: { allowed: answer(spec.resourceAttributes) } };
    },
  } as unknown as Pick<Client, 'create'>;
  const { logger } = createCapturingLogger();
  return { asked, reviewed, most: () => most, access: reviewAccess({ client, namespaces, logger }) };
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

describe('Access by the rules that the server lists', () => {
  const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];

  it('takes one request for the whole cluster, about a namespace that nobody can create', async () => {
    const { asked, reviewed, access } = review(
      () => false,
      [],
      () => ({ resourceRules: everything }),
    );
    expect((await access).denied).toEqual([]);
    expect([asked, reviewed]).toEqual([[], ['-']]);
  });

  it('takes one for each namespace, and one for what is in none', async () => {
    const { asked, reviewed, access } = review(
      () => false,
      ['a', 'b'],
      (namespace) => ({ resourceRules: namespace === 'b' ? [] : everything }),
    );
    const { may, maySomewhere } = await access;
    expect([may('list', Secrets), maySomewhere('list', Secrets), may('list', Namespaces)]).toEqual([
      false,
      true,
      true,
    ]);
    expect([asked, [...reviewed].sort()]).toEqual([[], ['-', 'a', 'b']]);
  });

  it('needs verb, group and resource, and does not count rules for single names', async () => {
    const { access } = review(
      () => true,
      [],
      () => ({
        resourceRules: [
          { verbs: ['list'], apiGroups: [''], resources: ['secrets', 'deployments'] },
          { verbs: ['*'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'] },
        ],
      }),
    );
    const { may } = await access;
    expect([may('list', Secrets), may('watch', Secrets)]).toEqual([true, false]);
    expect([may('list', WORKLOAD_TYPES.Deployment), may('list', ConfigMaps)]).toEqual([false, false]);
  });

  it.each([{ incomplete: true }, { evaluationError: 'clusterroles "a" not found' }])(
    'asks for what is missing where the list may lack some: %o',
    async (doubt) => {
      const rule = { verbs: ['list', 'watch'], apiGroups: [''], resources: ['secrets'] };
      const { asked, access } = review(
        ({ resource }) => resource === 'configmaps',
        [],
        () => ({ resourceRules: [rule], ...doubt }),
      );
      const { may } = await access;
      expect([may('list', Secrets), may('list', ConfigMaps), may('list', Namespaces)]).toEqual([
        true,
        true,
        false,
      ]);
      expect(asked.some(({ resource }) => resource === 'secrets')).toBe(false);
    },
  );
});
