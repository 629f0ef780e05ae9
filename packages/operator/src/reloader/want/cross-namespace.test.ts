import { describe, expect, it } from 'vitest';
import { full } from './annotations.test.support.ts';
import { crossNamespaceDenied } from './cross-namespace.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  targetFacts,
} from './world.test.support.ts';

const config = configFacts({ namespace: 'ops' });
const world = (text?: string) =>
  fakeWorld({
    namespaces: [namespaceFacts({ annotations: full(text === undefined ? {} : { 'allow-from': text }) })],
  });

describe('reaching into another namespace', () => {
  it('needs no grant at home', () => {
    expect(crossNamespaceDenied(config, 'ops', fakeWorld(), defaultSettings())).toBeUndefined();
  });

  it('takes a target as well as the name of a namespace', () => {
    const target = targetFacts({ namespace: 'shop' });
    expect(crossNamespaceDenied(config, target, world(), defaultSettings())).toEqual(
      crossNamespaceDenied(config, 'shop', world(), defaultSettings()),
    );
  });

  it('says which annotation would allow it', () => {
    const denial = crossNamespaceDenied(config, 'shop', world(), defaultSettings());
    expect(denial?.namespace).toBe('shop');
    expect(denial?.message).toContain('reloader.stakater.com/allow-from: "ops"');
  });

  it('says the same of a Namespace that does not exist or cannot be read', () => {
    const denial = crossNamespaceDenied(config, 'shop', fakeWorld(), defaultSettings());
    expect(denial).toEqual(crossNamespaceDenied(config, 'shop', world(), defaultSettings()));
  });

  it.each(['', ' ', ',', '*', 'OPS', 'op', 'opss', 'ops;dev', '.*'])('is not granted by %j', (text) => {
    expect(crossNamespaceDenied(config, 'shop', world(text), defaultSettings())).toBeDefined();
  });

  it.each(['ops', ' ops ', 'dev,ops', 'ops,,dev'])('is granted by %j', (text) => {
    expect(crossNamespaceDenied(config, 'shop', world(text), defaultSettings())).toBeUndefined();
  });
});
