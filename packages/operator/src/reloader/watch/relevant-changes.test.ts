import { describe, expect, it } from 'vitest';
import type { SourceFacts } from '../model/source-facts.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { configFacts, namespaceFacts, sourceFacts, workloadFacts } from '../want/world.test.support.ts';
import { isConfigChange, isNamespaceChange, isSourceChange, isWorkloadChange } from './relevant-changes.ts';

describe('News of a source', () => {
  const isNew = (change: Partial<SourceFacts>): boolean =>
    isSourceChange({ type: 'update', old: sourceFacts(), object: sourceFacts(change), resync: false });

  it.each<[string, Partial<SourceFacts>, boolean]>([
    ['another digest', { digest: 'another' }, true],
    ['another label', { labels: { a: 'b' } }, true],
    ['another annotation', { annotations: { a: 'b' } }, true],
    ['another time of writing', { writtenAt: 2000 }, false],
    ['nothing', {}, false],
  ])('is %s: %o %s', (_, change, news) => {
    expect(isNew(change)).toBe(news);
  });

  it('is its creation and its deletion', () => {
    expect(isSourceChange({ type: 'add', object: sourceFacts(), initial: true })).toBe(true);
    expect(isSourceChange({ type: 'delete', object: sourceFacts(), stale: false })).toBe(true);
  });
});

describe('News of a workload', () => {
  const rollout = workloadFacts().rollout;

  it.each<[string, Partial<WorkloadFacts>, boolean]>([
    ['its annotations', { annotations: { a: 'b' } }, true],
    ['its template', { templateDigest: 'another' }, true],
    [
      'one of our slots',
      { slots: [{ container: 'app', containerIndex: 0, envIndex: 0, name: 'A', value: 'b' }] },
      true,
    ],
    ['its rollout', { rollout: { ...rollout, updated: 0 } }, true],
    ['a pause', { rollout: { ...rollout, paused: true } }, true],
    ['its end', { deleting: true }, true],
    ['the time of a write that changed nothing', { templateWrittenAt: 1000 }, false],
    ['nothing', {}, false],
  ])('is %s', (_, change, news) => {
    const event = {
      type: 'update',
      old: workloadFacts(),
      object: workloadFacts(change),
      resync: false,
    } as const;
    expect(isWorkloadChange(event)).toBe(news);
  });
});

describe('News of a config', () => {
  it.each([
    ['another generation', { generation: 2 }, true],
    ['that it is ignored', { ignored: true }, true],
    ['a status', { status: { reloadCount: 1 } }, false],
  ])('is %s', (_, change, news) => {
    expect(
      isConfigChange({ type: 'update', old: configFacts(), object: configFacts(change), resync: false }),
    ).toBe(news);
  });
});

describe('News of a namespace', () => {
  it.each([
    ['a label', { labels: { a: 'b' } }, true],
    ['an annotation', { annotations: { a: 'b' } }, true],
    ['that it ends', { deleting: true }, true],
    ['nothing', {}, false],
  ])('is %s', (_, change, news) => {
    const event = {
      type: 'update',
      old: namespaceFacts(),
      object: namespaceFacts(change),
      resync: false,
    } as const;
    expect(isNamespaceChange(event)).toBe(news);
  });

  it('is a later creation, not the initial list, nor a deletion', () => {
    const object = namespaceFacts();
    expect(isNamespaceChange({ type: 'add', object, initial: false })).toBe(true);
    expect(isNamespaceChange({ type: 'add', object, initial: true })).toBe(false);
    expect(isNamespaceChange({ type: 'delete', object, stale: false })).toBe(false);
  });
});
