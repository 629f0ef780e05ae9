import { describe, expect, it } from 'vitest';
import { cause, NOW, NOW_TEXT, reloadPlan, SLOT } from './plan.test.support.ts';
import { reloadedFrom, templateChange } from './template-change.ts';

const rolled = 'reloader.stakater.com/rolled';
const variable = (name: string, value: string | undefined, container: string | undefined = 'app') => ({
  name,
  value,
  container: value === undefined ? undefined : container,
});

describe('the env-vars strategy', () => {
  it('sets one variable per source on its container, and the mark', () => {
    const plan = reloadPlan({
      causes: [cause(), cause({ name: 'other', slot: 'a'.repeat(40), container: 'proxy' })],
    });
    expect(templateChange(plan, 'app')).toEqual({
      variables: [
        variable('STAKATER_SETTINGS_CONFIGMAP', SLOT),
        variable('STAKATER_OTHER_CONFIGMAP', 'a'.repeat(40), 'proxy'),
      ],
      annotations: { [rolled]: plan.mark },
    });
  });

  it.each([
    ['a-b', 'a.b', '2'],
    ['a.b', 'a-b', '2'],
  ])('gives the variable that %s and %s share to the later one', (first, second, value) => {
    const causes = [cause({ name: first, slot: '1' }), cause({ name: second, slot: value })];
    expect(templateChange(reloadPlan({ causes }), 'app').variables).toEqual([
      variable('STAKATER_A_B_CONFIGMAP', value),
    ]);
  });

  it.each([
    ['before', [undefined, '1']],
    ['after', ['1', undefined]],
  ])('keeps a shared variable when the source named %s is gone', (_, slots) => {
    const causes = slots.map((slot, index) => cause({ name: index === 0 ? 'a-b' : 'a.b', slot }));
    expect(templateChange(reloadPlan({ causes }), 'app').variables).toEqual([
      variable('STAKATER_A_B_CONFIGMAP', '1'),
    ]);
  });

  it('removes the variable of a source that is gone, once', () => {
    const causes = [cause({ name: 'a-b', slot: undefined }), cause({ name: 'a.b', slot: undefined })];
    expect(templateChange(reloadPlan({ causes }), 'app').variables).toEqual([
      variable('STAKATER_A_B_CONFIGMAP', undefined),
    ]);
  });

  it('adds the time on the first container when a config asked', () => {
    const plan = reloadPlan({ configs: ['shop/rules'], causes: [cause({ container: 'proxy' })] });
    expect(templateChange(plan, 'app').variables).toEqual([
      variable('STAKATER_SETTINGS_CONFIGMAP', SLOT, 'proxy'),
      variable('RELOADER_TRIGGERED_AT', NOW_TEXT),
    ]);
  });

  it('leaves only the mark where there is no container, and after a revert', () => {
    const mark = { [rolled]: reloadPlan().mark };
    expect(templateChange(reloadPlan({ configs: ['shop/rules'] }), undefined)).toEqual({
      variables: [],
      annotations: mark,
    });
    expect(templateChange(reloadPlan({ causes: [] }), 'app')).toEqual({ variables: [], annotations: mark });
  });
});

describe('the annotations strategy', () => {
  const annotations = (overrides: Parameters<typeof reloadPlan>[0]) =>
    templateChange(reloadPlan({ reloadStrategy: 'annotations', ...overrides }), 'app').annotations;

  it('names the last source alone and sets no variable', () => {
    const causes = [cause({ name: 'first' }), cause({ name: 'last' })];
    const plan = reloadPlan({ reloadStrategy: 'annotations', causes });
    expect(templateChange(plan, 'app')).toEqual({
      variables: [],
      annotations: {
        'reloader.stakater.com/last-reloaded-from': `{"type":"CONFIGMAP","name":"last","namespace":"shop","hash":"${SLOT}","containerRefs":["app"],"observedAt":1893553445}`,
        [rolled]: plan.mark,
      },
    });
  });

  it('adds the time when a config asked', () => {
    expect(annotations({ configs: ['shop/rules'] })['reloader.stakater.com/last-reload']).toBe(NOW_TEXT);
    expect(annotations({})).not.toHaveProperty('reloader.stakater.com/last-reload');
  });

  it('leaves only the mark after a revert', () => {
    expect(Object.keys(annotations({ causes: [] }))).toEqual([rolled]);
  });

  it.each([
    [
      cause({ ref: { kind: 'Secret', namespace: 'shop', name: 'password' } }),
      `{"type":"SECRET","name":"password","namespace":"shop","hash":"${SLOT}","containerRefs":["app"],"observedAt":1893553445}`,
    ],
    [
      cause({ ref: { kind: 'SecretProviderClass', namespace: 'shop', name: 'vault' }, container: 'proxy' }),
      `{"type":"SECRETPROVIDERCLASS","name":"vault","namespace":"shop","hash":"${SLOT}","containerRefs":["proxy"],"observedAt":1893553445}`,
    ],
    [
      cause({ slot: undefined, finding: 'deleted' }),
      '{"type":"CONFIGMAP","name":"settings","namespace":"shop","hash":"aae45badef99284e4dae01d6046154ea9d99532f","containerRefs":["app"],"observedAt":1893553445}',
    ],
  ])("writes Stakater's JSON for %j", (of, expected) => {
    expect(reloadedFrom(of, NOW)).toBe(expected);
  });
});
