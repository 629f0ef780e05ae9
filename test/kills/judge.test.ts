import { describe, expect, test } from 'vitest';
import type { Version } from './etcd-history.ts';
import { type Fleet, fleetOf, type Source, type Workload } from './fleet.ts';
import { History } from './history.ts';
import { judge } from './judge.ts';

const source: Source = { kind: 'ConfigMap', namespace: 'ns', name: 'settings', hasty: false };
const workload: Workload = {
  kind: 'Deployment',
  namespace: 'ns',
  name: 'app',
  replicas: 1,
  optIn: 'auto',
  use: 'env-from',
  sources: [source],
};

const fleetWith = (one: Workload): Fleet => ({
  namespaces: ['ns'],
  workloads: [one],
  sources: [...one.sources],
  idleSources: [],
});

/** Each line is one revision; a pod keeps the one at which it was created. `pod one @5` was created in second 5. */
function told(lines: readonly string[], { hasty = false, optIn = workload.optIn } = {}) {
  const history = new History();
  lines.forEach((line, index) => {
    const [what = '', content = '', at = `@${index + 1}`] = line.split(' ');
    const second = Number(at.slice(1));
    history.add({
      revision: index + 1,
      created: index + 1,
      namespace: 'ns',
      ...objectOf(what, content, second),
    });
  });
  return judge(fleetWith({ ...workload, optIn, sources: [{ ...source, hasty }] }), history);
}

function objectOf(
  what: string,
  content: string,
  second: number,
): Pick<Version, 'plural' | 'name' | 'object'> {
  const time = new Date(second * 1000).toISOString();
  const metadata = { name: what, uid: what, creationTimestamp: time, managedFields: [{ time }] };
  switch (what) {
    case 'source':
      return { plural: 'configmaps', name: source.name, object: { metadata, data: { value: content } } };
    case 'recorded':
    case 'template': {
      const env = [{ name: 'STAKATER_SETTINGS_CONFIGMAP', value: content.replace(/!+$/, '') }];
      const marked = { metadata: { labels: { mark: content } }, spec: { containers: [{ env }] } };
      const annotations = what === 'recorded' ? { 'reloader.stakater.com/ledger': '{}' } : {};
      const object = { metadata: { ...metadata, annotations }, spec: { template: marked } };
      return { plural: 'deployments', name: 'app', object };
    }
    case 'revision': {
      const annotations = { 'deployment.kubernetes.io/revision': content };
      const template = { metadata: { labels: { mark: 'a' } } };
      const object = { metadata: { ...metadata, annotations }, spec: { template } };
      return { plural: 'deployments', name: 'app', object };
    }
    case 'pod':
      return { plural: 'pods', name: content, object: { metadata: { ...metadata, labels: { app: 'app' } } } };
    default:
      return { plural: 'pods', name: content, object: undefined };
  }
}

const START = ['source a', 'template a', 'pod one'];

describe('the judge', () => {
  test('finds nothing wrong where each change was rolled out once', () => {
    const verdict = told([...START, 'source b', 'template b', 'pod two', 'gone one']);
    expect(verdict).toMatchObject({
      contentChanges: 1,
      asked: 1,
      templateChanges: 1,
      lost: [],
      awaited: [],
      duplicate: [],
      inDoubt: [],
    });
  });

  test('finds a change that never came to the template', () => {
    expect(told([...START, 'source b']).lost).toEqual([
      'Deployment/ns/app: the content of revision 4 is not in its template, and a pod is older',
    ]);
  });

  test('finds nothing lost where an earlier rollout came so late that it brought the change', () => {
    const verdict = told([...START, 'source b', 'template b', 'source c', 'pod two', 'gone one']);
    expect(verdict).toMatchObject({ lost: [], awaited: [] });
  });

  test('finds a pod that was there before the change, and does not call the change lost for that', () => {
    const { lost, awaited } = told([...START, 'source b', 'template b', 'pod two']);
    expect(awaited).toEqual(['Deployment/ns/app: pod one of revision 3 is older than template 5']);
    expect(lost).toEqual([]);
  });

  test('calls nothing lost while a rollout that may bring it is in progress', () => {
    const under = [...START, 'source b', 'template b', 'source c', 'pod two'];
    expect(told(under)).toMatchObject({ lost: [], awaited: [expect.stringContaining('pod one')] });
    expect(told([...under, 'gone one']).lost).toEqual([]);
    const before = [...START, 'source b', 'template b', 'pod two', 'source c'];
    expect(told([...before, 'gone one']).lost).toHaveLength(1);
  });

  test('finds a second reload for one change', () => {
    const { duplicate } = told([...START, 'source b', 'template b', 'template b!', 'pod two', 'gone one']);
    expect(duplicate).toContain('Deployment/ns/app: reload 2 (revision 6) after 1 changes');
  });

  test('finds a second reload that hides behind a later change', () => {
    const history = ['source b', 'template b', 'template b!', 'source c', 'pod two', 'gone one'];
    expect(told([...START, ...history], { hasty: true }).duplicate).toContain(
      'Deployment/ns/app: reload 2 (revision 6) after 1 changes',
    );
  });

  test('finds a reload for content that had its reload, where the count would allow it', () => {
    const history = ['source b', 'source c', 'template c', 'template c!', 'pod two', 'gone one'];
    expect(told([...START, ...history], { hasty: true }).duplicate).toEqual([
      'Deployment/ns/app: reloaded again for the same content at revision 7',
    ]);
  });

  test('lets hasty changes become one reload, and no others', () => {
    const history = [...START, 'source b', 'source c', 'template c', 'pod two', 'gone one'];
    expect(told(history, { hasty: true })).toMatchObject({ lost: [], duplicate: [] });
    expect(told(history).duplicate).toEqual([
      'Deployment/ns/app: 1 reloads for 2 changes, each of which was waited for',
    ]);
  });

  test('finds a reload of a workload that asked for none', () => {
    const { duplicate, lost } = told([...START, 'source b', 'template b'], { optIn: 'none' });
    expect(lost).toEqual([]);
    expect(duplicate).toContain('Deployment/ns/app: reload 1 (revision 5) after 0 changes');
  });

  test('finds more templates than changes by the number that Kubernetes gave them', () => {
    expect(told(['source a', 'revision 1', 'pod one', 'revision 2']).duplicate).toEqual([
      'Deployment/ns/app: 2 templates for 0 changes',
    ]);
  });

  describe('of a second restart for one change', () => {
    const restarted = (pods: readonly string[], first = 'template b @5') =>
      told([...START, 'source b @5', first, ...pods, 'gone one', 'template b! @9']);

    test('allows and counts one where a pod was created in the second of the change and there is no other evidence', () => {
      const { duplicate, inDoubt } = restarted(['pod two @5']);
      expect(duplicate).toEqual([]);
      expect(inDoubt).toEqual([
        'Deployment/ns/app: restarted again at revision 8, within the second of its last change',
      ]);
    });

    test.each([
      ['all pods came in a later second', ['pod two @6'], 'template b @5'],
      ['it was recorded what the workload was rolled out with', ['pod two @5'], 'recorded b @5'],
      ['a pod of an earlier second was about to go', ['pod two @5', 'pod three @4'], 'template b @5'],
    ])('does not where %s', (_, pods, first) => {
      const { duplicate, inDoubt } = restarted(pods, first);
      expect(inDoubt).toEqual([]);
      expect(duplicate).toHaveLength(2);
    });

    test('still counts those that come after it', () => {
      const lines = [
        'pod two @5',
        'gone one',
        'template b! @9',
        'pod four @9',
        'gone two',
        'template b!! @10',
      ];
      const { duplicate, inDoubt } = told([...START, 'source b @5', 'template b @5', ...lines]);
      expect(inDoubt).toHaveLength(1);
      expect(duplicate).not.toEqual([]);
    });
  });

  test('takes a write that changes no content for no change', () => {
    expect(told([...START, 'source a']).contentChanges).toBe(0);
  });
});

test('the fleet has every kind of workload, of source and of asking, shared and several sources included', () => {
  const { workloads, sources } = fleetOf(40);
  const count = <T>(values: readonly T[]) => new Set(values).size;
  expect(workloads).toHaveLength(44);
  expect(count(workloads.map(({ kind }) => kind))).toBe(3);
  expect(count(workloads.map(({ optIn }) => optIn))).toBe(8);
  expect(count(sources.map(({ kind }) => kind))).toBe(2);
  expect(workloads.some((one) => one.sources.length > 1)).toBe(true);
  expect(sources.some((one) => workloads.filter((user) => user.sources.includes(one)).length > 1)).toBe(true);
});
