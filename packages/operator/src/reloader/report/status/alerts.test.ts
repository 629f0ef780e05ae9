import { describe, expect, test } from 'vitest';
import { ALERT_EVENTS } from '../../model/config.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
} from '../../want/world.test.support.ts';
import { computeStatus } from './compute.ts';

const channel = (namespace: string) => ({
  channel: 'slack' as const,
  url: undefined,
  secretRef: { namespace, name: 'hooks', key: 'url' },
  events: ALERT_EVENTS,
  template: undefined,
  format: undefined,
});

function condition(namespace: string, { secret = false, alertFailures = [] as string[] } = {}) {
  const config = configFacts({ secrets: ['a'], targets: [], alerts: [channel(namespace)] });
  const sources = secret ? [sourceFacts({ kind: 'Secret', name: 'hooks' })] : [];
  const world = fakeWorld({
    configs: [config],
    sources,
    namespaces: [namespaceFacts(), namespaceFacts({ name: 'ops' })],
  });
  const { status } = computeStatus({
    config,
    before: {},
    world,
    view: undefined,
    settings: defaultSettings(),
    made: [],
    isRolling: () => false,
    alertFailures,
    now: 0,
  });
  const found = status.conditions?.find(({ type }) => type === 'AlertFailed');
  const degraded = status.conditions?.find(({ type }) => type === 'Degraded');
  return { alert: found && `${found.status} ${found.reason}: ${found.message}`, degraded: degraded?.message };
}

describe('The condition AlertFailed', () => {
  test('does not tell whether the Secret exists', () => {
    expect(condition('shop', { secret: true })).toEqual(condition('shop', { secret: false }));
    expect(condition('shop').alert).toBeUndefined();
  });

  test('degrades nothing', () => {
    expect(condition('ops').degraded).not.toContain('hooks');
  });

  test('tells of a namespace that does not allow it', () => {
    expect(condition('ops').alert).toContain('slack: Namespace ops does not allow');
  });

  test('tells what could not be sent, and nothing twice', () => {
    const alertFailures = ['slack: the receiver answered 404'];
    expect(condition('shop', { secret: true, alertFailures }).alert).toContain(
      'slack: the receiver answered 404',
    );
    const twice = condition('shop', { alertFailures: ['slack: no URL', 'slack: no URL'] });
    expect(twice.alert?.match(/no URL/g)).toHaveLength(1);
  });
});
