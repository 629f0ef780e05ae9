import { describe, expect, test } from 'vitest';
import { ALERT_EVENTS, type ConfigFacts } from '../reloader/model/config.ts';
import type { World } from '../reloader/model/world.ts';
import { configFacts, fakeWorld, sourceFacts } from '../reloader/want/world.test.support.ts';
import { AlertFailures } from './failures.ts';

const secretRef = { namespace: 'shop', name: 'hooks', key: 'url' };
const alerts = [
  {
    channel: 'slack',
    url: undefined,
    secretRef,
    events: ALERT_EVENTS,
    template: undefined,
    format: undefined,
  } as const,
];
const slack = { config: { namespace: 'shop', name: 'rules' }, channel: 'slack' } as const;

function setUp() {
  let world = fakeWorld();
  const show = (config: Partial<ConfigFacts>, digest?: string): ConfigFacts => {
    const facts = configFacts({ alerts, ...config });
    const sources = digest === undefined ? [] : [sourceFacts({ kind: 'Secret', name: 'hooks', digest })];
    world = fakeWorld({ configs: [facts], sources });
    return facts;
  };
  const live = new Proxy({} as World, { get: (_, method: keyof World) => world[method] });
  return { failures: new AlertFailures(live), show };
}

describe('A channel that failed', () => {
  test('is reported once, and again for another reason', () => {
    const { failures, show } = setUp();
    const config = show({});
    expect(failures.failed(slack, 'the receiver answered 404')).toBe(true);
    expect(failures.failed(slack, 'the receiver answered 404')).toBe(false);
    expect(failures.failed(slack, 'the receiver answered 403')).toBe(true);
    expect(failures.of(config)).toEqual(['slack: the receiver answered 403']);
  });

  test('is forgotten when it works, and reported when it fails again', () => {
    const { failures, show } = setUp();
    const config = show({});
    failures.failed(slack, 'no');
    expect(failures.sent(slack)).toBe(true);
    expect(failures.of(config)).toEqual([]);
    expect(failures.sent(slack)).toBe(false);
    expect(failures.failed(slack, 'no')).toBe(true);
  });

  test.each<[string, Partial<ConfigFacts>, string | undefined]>([
    ['the config', { generation: 2 }, 'one'],
    ['its Secret', {}, 'two'],
    ['that its Secret is there', {}, undefined],
  ])('says nothing more once somebody changed %s', (_, config, digest) => {
    const { failures, show } = setUp();
    show({}, 'one');
    failures.failed(slack, 'no');
    expect(failures.of(show({}, 'one'))).toHaveLength(1);
    expect(failures.of(show(config, digest))).toEqual([]);
    expect(failures.failed(slack, 'no')).toBe(true);
  });

  test('of a deleted config, or of the global receiver, is not recorded', () => {
    const { failures } = setUp();
    expect(failures.failed(slack, 'no')).toBe(false);
    expect(failures.failed({ config: undefined, channel: 'raw' }, 'no')).toBe(false);
  });
});
