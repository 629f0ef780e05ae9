import type { AdmissionRequest } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { inlineChecker } from '../validate/checker.ts';
import { contentRule } from '../validate/rule.ts';
import { sourceHandler } from './sources.ts';

const RULE = contentRule({ from: 'test', requiredKeys: [], key: 'a', format: 'json' });
const handler = sourceHandler({
  checker: inlineChecker,
  rulesFor: ({ name }) => (name === 'settings' ? [RULE] : []),
  now: () => 0,
});

function ask(kind: string, name: string, object: object, oldObject?: object) {
  const request = {
    uid: 'r1',
    operation: oldObject ? 'UPDATE' : 'CREATE',
    name,
    namespace: 'shop',
    kind: { group: '', version: 'v1', kind },
    object: { metadata: {}, ...object },
    ...(oldObject && { oldObject: { metadata: {}, ...oldObject } }),
  } as AdmissionRequest;
  return handler(request, { signal: new AbortController().signal });
}

const encoded = (text: string) => ({ data: { a: Buffer.from(text).toString('base64') } });

describe('A content that is written', () => {
  it('is refused if it breaks a rule, and the message repeats nothing of it', async () => {
    const answer = await ask('Secret', 'settings', encoded('hunter2'));
    expect(answer).toMatchObject({ allowed: false, code: 422, reason: 'Invalid' });
    expect(answer.message).toContain('key a');
    expect(answer.message).toContain('is not JSON (test)');
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(await ask('ConfigMap', 'settings', { data: { a: '{' } })).toMatchObject({ allowed: false });
  });

  it('is accepted if it does not, or if there is no rule', async () => {
    expect(await ask('Secret', 'settings', encoded('{}'))).toEqual({ allowed: true });
    expect(await ask('ConfigMap', 'settings', { data: { a: '{}' } })).toEqual({ allowed: true });
    expect(await ask('ConfigMap', 'other', { data: { a: '{' } })).toEqual({ allowed: true });
  });

  it('from before may be labelled, repaired and deleted', async () => {
    const bad = { data: { a: '{' } };
    const labelled = { ...bad, metadata: { labels: { a: '1' } } };
    expect(await ask('ConfigMap', 'settings', labelled, bad)).toEqual({ allowed: true });
    expect(await ask('ConfigMap', 'settings', { data: { a: '{}' } }, bad)).toEqual({ allowed: true });
    const leaving = { data: { a: '[' }, metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } };
    expect(await ask('ConfigMap', 'settings', leaving, bad)).toEqual({ allowed: true });
    expect(await ask('ConfigMap', 'settings', { data: { a: '[' } }, bad)).toMatchObject({ allowed: false });
  });
});
