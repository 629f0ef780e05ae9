import type { AdmissionRequest, KubernetesObject } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { admissionHandlers, POD_CONFIG_PATH, RELOADER_CONFIG_PATH } from './handlers.ts';

const handlers = admissionHandlers(DEFAULT_ANNOTATIONS);
type Configured = KubernetesObject & { spec?: unknown };

function ask(path: string, object: Configured, old?: Configured) {
  const request = {
    uid: 'r1',
    operation: old ? 'UPDATE' : 'CREATE',
    name: 'it',
    kind: { group: 'podconfig.example.com', version: 'v1alpha1', kind: 'PodConfigMapConfig' },
    object,
    ...(old && { oldObject: old }),
  } as AdmissionRequest;
  return handlers[path]?.(request, { signal: new AbortController().signal });
}

const config = (spec: unknown, metadata: object = {}): Configured => ({
  metadata: { name: 'it', namespace: 'shop', uid: 'u', ...metadata },
  spec,
});
const fields = (answer: Awaited<ReturnType<typeof ask>>): (string | undefined)[] =>
  (answer?.causes ?? []).map(({ field }) => field);

describe('A PodConfigMapConfig', () => {
  it.each([
    ['nothing', undefined],
    ['an empty selector', { podSelector: {} }],
    ['a template', { configMapDataTemplate: { line: '{{ .metadata.name }}' } }],
  ])('with %s is welcome', async (_, spec) => {
    expect(await ask(POD_CONFIG_PATH, config(spec))).toEqual({ allowed: true });
  });

  it('is refused with every field that is wrong', async () => {
    const spec = {
      podSelector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['x'] }] },
      configMapDataTemplate: { podName: 'x', 'a b': 'x', line: 'one\n{{ if }}', good: 'x' },
    };
    const answer = await ask(POD_CONFIG_PATH, config(spec));
    expect(answer).toMatchObject({ allowed: false, code: 422, reason: 'Invalid' });
    expect(fields(answer)).toEqual([
      'spec.podSelector',
      'spec.configMapDataTemplate["a b"]',
      'spec.configMapDataTemplate["line"]',
      'spec.configMapDataTemplate["podName"]',
    ]);
    expect(answer?.message).toContain('line:2:');
  });
});

describe('A ReloaderConfig', () => {
  it('is refused for invalid durations and kinds', async () => {
    const spec = { pausePeriod: 'soon', targets: [{ kind: 'Pot', name: 'web' }] };
    const answer = await ask(RELOADER_CONFIG_PATH, config(spec));
    expect(answer?.allowed).toBe(false);
    expect(fields(answer)).toEqual(['spec.pausePeriod', 'spec.targets[0].kind']);
  });

  it('is refused for an invalid condition, also of a later target', async () => {
    const targets = Array.from({ length: 12 }, (_, index) => ({
      kind: 'Deployment',
      name: `web-${index}`,
      condition: index < 11 ? `source.labels.size() > ${index}` : 'source.labels.size() >',
    }));
    const answer = await ask(RELOADER_CONFIG_PATH, config({ targets }));
    expect(fields(answer)).toEqual(['spec.targets[11].condition']);
  });

  it('is accepted if it is valid', async () => {
    const spec = { pausePeriod: '5m', targets: [{ kind: 'Deployment', name: 'web' }] };
    expect(await ask(RELOADER_CONFIG_PATH, config(spec))).toEqual({ allowed: true });
  });
});

describe('An existing object', () => {
  const broken = { configMapDataTemplate: { line: '{{' } };

  it('may be labelled although it is invalid', async () => {
    const labelled = config(broken, { labels: { a: '1' } });
    expect(await ask(POD_CONFIG_PATH, labelled, config(broken))).toMatchObject({ allowed: true });
  });

  it('may lose its finalizers while it is being deleted', async () => {
    const leaving = config(broken, { deletionTimestamp: '2026-01-02T03:04:05Z' });
    expect(await ask(POD_CONFIG_PATH, leaving, config({}))).toMatchObject({ allowed: true });
  });

  it('may be repaired, and may not get another mistake', async () => {
    expect(await ask(POD_CONFIG_PATH, config({}), config(broken))).toMatchObject({ allowed: true });
    const other = config({ configMapDataTemplate: { line: '{{ end }}' } });
    expect(await ask(POD_CONFIG_PATH, other, config(broken))).toMatchObject({ allowed: false });
  });

  it('may be repaired one mistake after the other', async () => {
    const targets = [
      { kind: 'Pot', name: 'a' },
      { kind: 'Deployment', name: 'b' },
      { kind: 'Pot', name: 'c' },
    ];
    const before = config({ pausePeriod: 'soon', targets });
    const allows = async (spec: object): Promise<boolean | undefined> =>
      (await ask(RELOADER_CONFIG_PATH, config(spec), before))?.allowed;
    expect(await allows({ pausePeriod: '5m', targets })).toBe(true);
    expect(await allows({ pausePeriod: 'soon', targets: targets.slice(1) })).toBe(true);
    expect(await allows({ pausePeriod: 'later', targets })).toBe(false);
    expect(await allows({ pausePeriod: 'soon', targets: [...targets, { kind: 'Pot', name: 'd' }] })).toBe(
      false,
    );
  });
});
