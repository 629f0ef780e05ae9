import { describe, expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { annotationOperations, ledgerChange } from './ledger-operations.ts';
import { NOW_TEXT, reloadPlan, SLOT } from './plan.test.support.ts';
import { reloadOperations, restartAtOperations } from './reload-operations.ts';

const ledger = '/metadata/annotations/reloader.stakater.com~1ledger';
const withLedger = { annotations: { 'reloader.stakater.com/ledger': 'before' } };

describe('the patch that is a reload', () => {
  it('tests the uid, the ledger and what it finds by index before it changes anything', () => {
    const operations = reloadOperations(reloadPlan(), DEFAULT_ANNOTATIONS);
    const env = '/spec/template/spec/containers/0/env';
    const annotations = '/spec/template/metadata/annotations';
    expect(operations).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-web' },
      { op: 'test', path: ledger, value: 'before' },
      { op: 'test', path: '/spec/template/spec/containers/0/name', value: 'app' },
      { op: 'test', path: env, value: null },
      { op: 'test', path: annotations, value: null },
      { op: 'add', path: ledger, value: 'after' },
      { op: 'add', path: env, value: [{ name: 'STAKATER_SETTINGS_CONFIGMAP', value: SLOT }] },
      { op: 'add', path: annotations, value: { 'reloader.stakater.com/rolled': reloadPlan().mark } },
    ]);
  });

  it.each(['Rollout', 'DeploymentConfig'] as const)(
    'of a %s tests the version where it creates a map or list, because empty ones may be stored',
    (kind) => {
      const workload = workloadFacts({ kind, ...withLedger });
      const tests = reloadOperations(reloadPlan({ workload }), DEFAULT_ANNOTATIONS).filter(
        ({ op }) => op === 'test',
      );
      expect(tests.map(({ path }) => path)).toEqual([
        '/metadata/uid',
        ledger,
        '/metadata/resourceVersion',
        '/spec/template/spec/containers/0/name',
      ]);
    },
  );

  it('restarts an Argo Rollout by its own field, together with the ledger', () => {
    const workload = workloadFacts({ kind: 'Rollout', ...withLedger });
    expect(restartAtOperations(reloadPlan({ workload, rolloutStrategy: 'restart' }))).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-web' },
      { op: 'test', path: ledger, value: 'before' },
      { op: 'add', path: ledger, value: 'after' },
      { op: 'add', path: '/spec/restartAt', value: NOW_TEXT },
    ]);
  });
});

describe('writing annotations of the workload itself', () => {
  const uid = { op: 'test', path: '/metadata/uid', value: 'uid-web' };

  it('creates the map where there is none', () => {
    expect(annotationOperations(workloadFacts(), ledgerChange(undefined, 'after'))).toEqual([
      uid,
      { op: 'test', path: '/metadata/annotations', value: null },
      {
        op: 'add',
        path: '/metadata/annotations',
        value: { 'reloader.stakater.com/ledger': 'after' },
      },
    ]);
  });

  it('tests that a new one is not there', () => {
    const workload = workloadFacts({ hasAnnotations: true });
    expect(annotationOperations(workload, ledgerChange(undefined, 'after'))).toEqual([
      uid,
      { op: 'test', path: ledger, value: null },
      { op: 'add', path: ledger, value: 'after' },
    ]);
  });

  it('removes one only if it is what it was', () => {
    expect(annotationOperations(workloadFacts(withLedger), { a: { before: '1', after: undefined } })).toEqual(
      [
        uid,
        { op: 'test', path: '/metadata/annotations/a', value: '1' },
        { op: 'remove', path: '/metadata/annotations/a' },
      ],
    );
  });
});
