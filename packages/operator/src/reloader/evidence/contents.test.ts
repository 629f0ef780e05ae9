import type { Client } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { type ContentChecker, inlineChecker } from '../../validate/checker.ts';
import { contentRule } from '../../validate/rule.ts';
import { configMapFacts, secretFacts } from '../digest/source-projection.ts';
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import type { ContentQuestion, ContentRule } from '../model/content-rule.ts';
import { ContentVerdicts } from './contents.ts';

const never = new AbortController().signal;
const projection = { names: DEFAULT_ANNOTATIONS, key: undefined };
const ref = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const;
const RULES: readonly ContentRule[] = [
  contentRule({ from: 'test', requiredKeys: ['b'], key: 'a', format: 'yaml' }),
];
const BASE = { metadata: { namespace: 'shop', name: 'settings', uid: 'u', resourceVersion: '1' } };
const map = (data: Record<string, string>) => ({ ...BASE, data }) as never;
const digestOf = (data: Record<string, string>): string => configMapFacts(map(data), projection).digest;
const GOOD = { a: 'x: 1', b: '' };
const BAD = { a: 'x: [' };

function setUp(content: object | undefined, checker: ContentChecker = inlineChecker) {
  const server = { content, asked: [] as string[], now: 1_000 };
  const client = {
    list: async (_: unknown, { fieldSelector }: { fieldSelector: string }) => {
      server.asked.push(fieldSelector);
      await Promise.resolve();
      return { items: server.content ? [server.content] : [] };
    },
  } as unknown as Pick<Client, 'list'>;
  const verdicts = new ContentVerdicts({
    client,
    checker,
    projection,
    now: () => server.now,
  });
  const question = (digest: string, rules = RULES): ContentQuestion => ({ ref, digest, rules });
  return { server, verdicts, question };
}

describe('A verdict on a content', () => {
  it('is asked for once, and remembered', async () => {
    const { server, verdicts, question } = setUp(map(BAD));
    const asked = question(digestOf(BAD));
    expect(verdicts.known(asked)).toBeUndefined();
    await Promise.all([verdicts.check([asked], never), verdicts.check([asked], never)]);
    await verdicts.check([], never);
    expect(server.asked).toEqual(['metadata.name=settings']);
    expect(verdicts.known(asked)?.findings.map(({ key, what }) => `${key} ${what}`)).toEqual([
      'b is missing',
      'a lacks a closing quote or bracket',
    ]);
  });

  it('is on the content that was found: a newer one is known when the caches show it', async () => {
    const { server, verdicts, question } = setUp(map(GOOD));
    await verdicts.check([question(digestOf(BAD))], never);
    expect(verdicts.known(question(digestOf(BAD)))).toBeUndefined();
    expect(verdicts.known(question(digestOf(GOOD)))).toEqual({ findings: [] });
    expect(server.asked).toEqual(['metadata.name=settings']);
  });

  it('is another one for other rules', async () => {
    const { verdicts, question } = setUp(map(GOOD));
    await verdicts.check([question(digestOf(GOOD))], never);
    const others = [contentRule({ from: 'test', requiredKeys: ['c'] })];
    expect(verdicts.known(question(digestOf(GOOD), others))).toBeUndefined();
  });

  it('ends when a certificate does', async () => {
    const { server, verdicts, question } = setUp(map(GOOD), {
      check: async () => ({ findings: [], until: 2_000 }),
    });
    const asked = question(digestOf(GOOD));
    await verdicts.check([asked], never);
    server.now = 1_999;
    expect(verdicts.known(asked)).toBeDefined();
    server.now = 2_000;
    expect(verdicts.known(asked)).toBeUndefined();
  });

  it('is not there for what is gone', async () => {
    const { verdicts, question } = setUp(undefined);
    await verdicts.check([question(digestOf(GOOD))], never);
    expect(verdicts.known(question(digestOf(GOOD)))).toBeUndefined();
  });

  it('on a Secret is by its keyed digest, and its values are decoded', async () => {
    const secret = { ...BASE, data: { a: Buffer.from('x: 1').toString('base64'), b: '' } } as never;
    const { verdicts } = setUp(secret);
    const asked = {
      ref: { ...ref, kind: 'Secret' as const },
      digest: secretFacts(secret, projection).digest,
      rules: RULES,
    };
    await verdicts.check([asked], never);
    expect(verdicts.known(asked)).toEqual({ findings: [] });
  });
});
