import { type KindKey, kindKeys, parseSelector, selectorFrom } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceRef } from '../model/source.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { NamespaceFacts } from '../model/world.ts';
import { namedList } from '../want/named-list.ts';
import {
  configFacts,
  defaultSettings,
  namespaceFacts,
  targetFacts,
  usingPodSpec,
  workloadFacts,
} from '../want/world.test.support.ts';
import { ListedStore } from '../watch/listed-store.ts';
import { AffectedWorkloads } from './affected-workloads.ts';
import { configIndexes, workloadIndexes } from './terms.ts';

const ABROAD = { allowCrossNamespace: true };

interface Parts {
  readonly workloads?: readonly WorkloadFacts[];
  readonly configs?: readonly ConfigFacts[];
  readonly namespaces?: readonly NamespaceFacts[];
  readonly settings?: Partial<ReloaderSettings>;
}

function affectedWorkloadsOf({
  workloads = [],
  configs = [],
  namespaces = [],
  settings = {},
}: Parts): AffectedWorkloads {
  const all = defaultSettings(settings);
  const stores = new Map(
    workloads.map(({ kind }) => [kind, new ListedStore<WorkloadFacts>(workloadIndexes(all.names))]),
  );
  for (const workload of workloads) stores.get(workload.kind)?.set(workload);
  const configStore = new ListedStore<ConfigFacts>(configIndexes);
  for (const config of configs) configStore.set(config);
  return new AffectedWorkloads({
    workloads: [...stores.values()],
    configs: configStore,
    world: { namespace: (name) => namespaces.find(({ metadata }) => metadata.name === name) },
    settings: all,
  });
}

const names = (keys: readonly KindKey[]): string[] => keys.map(kindKeys.encode).sort();
const settings: SourceRef = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
const AUTO = { 'reloader.stakater.com/auto': 'true' };
const uses = usingPodSpec({ kind: 'ConfigMap', name: 'settings' });
const bySettings = (parts: Parts, labels: Record<string, string> = {}): string[] =>
  names(affectedWorkloadsOf(parts).bySource(settings, [labels]));

describe('Who is concerned by a source', () => {
  it('are the workloads of its namespace that use it and ask for reloads', () => {
    const workloads = [
      workloadFacts({ name: 'web', annotations: AUTO, podSpec: uses }),
      workloadFacts({ name: 'cron', kind: 'CronJob', annotations: AUTO, podSpec: uses }),
      workloadFacts({ name: 'by-template', templateAnnotations: AUTO, podSpec: uses }),
      workloadFacts({ name: 'silent', podSpec: uses }),
      workloadFacts({ name: 'other', annotations: AUTO }),
      workloadFacts({ name: 'elsewhere', namespace: 'bar', annotations: AUTO, podSpec: uses }),
      workloadFacts({
        name: 'secret',
        annotations: AUTO,
        podSpec: usingPodSpec({ kind: 'Secret', name: 'settings' }),
      }),
    ];
    expect(bySettings({ workloads })).toEqual([
      'CronJob/shop/cron',
      'Deployment/shop/by-template',
      'Deployment/shop/web',
    ]);
  });

  it('are users without annotations, too, with autoReloadAll', () => {
    const workloads = [workloadFacts({ podSpec: uses })];
    expect(bySettings({ workloads, settings: { autoReloadAll: true } })).toEqual(['Deployment/shop/web']);
  });

  it.each([
    ['settings', true],
    ['other, settings ,more', true],
    ['sett.*', true],
    ['settings2', false],
    ['set', false],
    ['.ettings', true],
    ['settings|never', true],
    ['', false],
  ])('are workloads that name it: "%s" %s', (list, found) => {
    const annotations = { 'configmap.reloader.stakater.com/reload': list };
    const ofWorkload = bySettings({ workloads: [workloadFacts({ annotations })] });
    const ofTemplate = bySettings({ workloads: [workloadFacts({ templateAnnotations: annotations })] });
    expect(ofWorkload).toEqual(found ? ['Deployment/shop/web'] : []);
    expect(ofTemplate).toEqual(ofWorkload);
  });

  it('are workloads with an expression, until it is evaluated and does not match', () => {
    for (const list of ['(nobody-asked-yet', '[n]obody-asked-yet']) {
      const annotations = { 'configmap.reloader.stakater.com/reload': list };
      const workloads = [workloadFacts({ annotations })];
      expect(bySettings({ workloads })).toEqual(['Deployment/shop/web']);
      expect(namedList(list).matches('settings')).toBe(false);
      expect(bySettings({ workloads })).toEqual([]);
    }
  });

  it('are no targets in namespaces that have not allowed it', () => {
    const targets = [targetFacts({ namespace: 'bank' }), targetFacts()];
    const configs = [configFacts({ configMaps: ['settings'], targets })];
    const bank = (annotations: Record<string, string>) => [namespaceFacts({ name: 'bank', annotations })];
    expect(bySettings({ configs, namespaces: bank({}) })).toEqual(['Deployment/shop/web']);
    const allowed = bank({ 'reloader.stakater.com/allow-from': 'shop' });
    expect(bySettings({ configs, namespaces: allowed })).toHaveLength(2);
  });

  it('are those with expressions once for all sources of a burst', async () => {
    const annotations = { 'configmap.reloader.stakater.com/reload': '[s]ettings' };
    const affected = affectedWorkloadsOf({ workloads: [workloadFacts({ annotations })] });
    const replay = (namespace: string, name: string): number =>
      affected.bySource({ kind: 'ConfigMap', namespace, name }, [{}], true).length;
    expect([replay('shop', 'a'), replay('shop', 'settings'), replay('bank', 'a')]).toEqual([1, 0, 0]);
    await Promise.resolve();
    expect(replay('shop', 'b')).toBe(1);
  });

  it('are not workloads that name a source of another kind', () => {
    const annotations = { 'secret.reloader.stakater.com/reload': 'settings,sett.*' };
    expect(bySettings({ workloads: [workloadFacts({ annotations })] })).toEqual([]);
  });

  it('are Rollouts that use the template of a workload that uses it', () => {
    const workloads = [
      workloadFacts({ name: 'base', podSpec: uses }),
      workloadFacts({
        name: 'rollout',
        kind: 'Rollout',
        podSpec: {},
        workloadRef: { kind: 'Deployment', namespace: 'shop', name: 'base' },
      }),
    ];
    expect(bySettings({ workloads })).toEqual(['Rollout/shop/rollout']);
  });

  it('are all workloads of a namespace whose defaults name it', () => {
    const annotations = { 'configmap.reloader.stakater.com/reload': 'sett.*' };
    const parts = { workloads: [workloadFacts()], namespaces: [namespaceFacts({ annotations })] };
    expect(bySettings(parts)).toEqual([]);
    expect(bySettings({ ...parts, settings: { namespaceDefaults: true } })).toEqual(['Deployment/shop/web']);
  });

  it('are the targets of a config that names it, wherever they live, known or not', () => {
    const targets = [targetFacts(), targetFacts({ kind: 'StatefulSet', namespace: 'bar', name: 'db' })];
    const configs = [
      configFacts({ configMaps: ['settings'], targets }),
      configFacts({ name: 'x', namespace: 'bar', configMaps: ['settings'] }),
    ];
    expect(bySettings({ configs, settings: ABROAD })).toEqual(['Deployment/shop/web', 'StatefulSet/bar/db']);
  });

  it('are targets of a config that selects its labels, those it has or those it had', () => {
    const config = configFacts({ resourceSelector: parseSelector('app=web') });
    expect(bySettings({ configs: [config] }, { app: 'web' })).toEqual(['Deployment/shop/web']);
    expect(bySettings({ configs: [config] }, { app: 'db' })).toEqual([]);
    const both = affectedWorkloadsOf({ configs: [config] }).bySource(settings, [{ app: 'web' }, {}]);
    expect(names(both)).toEqual(['Deployment/shop/web']);
  });

  it('are targets of a config elsewhere that selects its namespace', () => {
    const config = configFacts({
      namespace: 'admin',
      configMaps: ['settings'],
      namespaceSelector: selectorFrom({ matchLabels: { team: 'blue' } }),
    });
    const inTeam = (team: string) =>
      bySettings({ configs: [config], settings: ABROAD, namespaces: [namespaceFacts({ labels: { team } })] });
    expect(inTeam('blue')).toEqual(['Deployment/shop/web']);
    expect(inTeam('red')).toEqual([]);
    expect(bySettings({ configs: [config], settings: ABROAD })).toEqual(['Deployment/shop/web']);
  });

  it('are found once, however many ways lead to them', () => {
    const workloads = [
      workloadFacts({
        annotations: { ...AUTO, 'configmap.reloader.stakater.com/reload': 'settings,s.*' },
        podSpec: uses,
      }),
    ];
    const configs = [configFacts({ configMaps: ['settings'], resourceSelector: parseSelector('') })];
    expect(bySettings({ workloads, configs })).toEqual(['Deployment/shop/web']);
  });

  it('are targets that use it, of a config that reloads for everything they use', () => {
    const configs = [configFacts({ autoReloadAll: true })];
    expect(bySettings({ workloads: [workloadFacts({ podSpec: uses })], configs })).toEqual([
      'Deployment/shop/web',
    ]);
  });

  it('cost look-ups in proportion to their number', () => {
    const asking = Array.from({ length: 500 }, (_, index) =>
      workloadFacts({
        name: `web-${index}`,
        annotations: { ...AUTO, 'configmap.reloader.stakater.com/reload': `settings-${index}` },
        podSpec: usingPodSpec({ kind: 'ConfigMap', name: index < 3 ? 'settings' : `other-${index}` }),
      }),
    );
    let looks = 0;
    const counting = asking.map((facts) => ({
      ...facts,
      get annotations() {
        looks++;
        return facts.annotations;
      },
    }));
    const affected = affectedWorkloadsOf({ workloads: counting });
    looks = 0;
    expect(affected.bySource(settings, [{}])).toHaveLength(3);
    expect(looks).toBeLessThan(20);
  });
});

describe('Who is concerned by a namespace', () => {
  const workloads = [
    workloadFacts({ name: 'web', annotations: AUTO }),
    workloadFacts({ name: 'silent' }),
    workloadFacts({ name: 'elsewhere', namespace: 'bar', annotations: AUTO }),
  ];

  it('are its workloads that ask for reloads', () => {
    expect(names(affectedWorkloadsOf({ workloads }).byNamespace('shop'))).toEqual(['Deployment/shop/web']);
  });

  it('are the targets of configs that choose namespaces', () => {
    const targets = [targetFacts({ namespace: 'bar', name: 'target' })];
    const configs = [configFacts({ targets, namespaceSelector: parseSelector('') })];
    expect(names(affectedWorkloadsOf({ configs, settings: ABROAD }).byNamespace('shop'))).toEqual([
      'Deployment/bar/target',
    ]);
  });

  it("are all workloads, if it is the operator's namespace", () => {
    expect(names(affectedWorkloadsOf({ workloads }).byNamespace('reloader'))).toEqual([
      'Deployment/bar/elsewhere',
      'Deployment/shop/web',
    ]);
  });
});

describe('A workload asks for reloads', () => {
  const asks = (workload: WorkloadFacts, parts: Parts = {}): boolean =>
    affectedWorkloadsOf(parts).asks(workload);

  it('by an annotation of ours, or as a target', () => {
    expect(asks(workloadFacts())).toBe(false);
    expect(asks(workloadFacts({ annotations: AUTO }))).toBe(true);
    expect(asks(workloadFacts({ templateAnnotations: AUTO }))).toBe(true);
    expect(asks(workloadFacts(), { configs: [configFacts()] })).toBe(true);
    expect(asks(workloadFacts({ name: 'other' }), { configs: [configFacts()] })).toBe(false);
  });

  it('by its namespace, where that counts', () => {
    const namespaces = [namespaceFacts({ annotations: AUTO })];
    expect(asks(workloadFacts(), { namespaces })).toBe(false);
    expect(asks(workloadFacts(), { namespaces, settings: { namespaceDefaults: true } })).toBe(true);
  });
});
