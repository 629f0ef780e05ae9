/** O7: workloads of Stakater Reloader are taken over without a restart, and can be handed back without one. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { CANARY, LAST_RELOADED_FROM } from '../names.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }, { configMap: 'settings' }] as const;

/** Stakater's hash, implemented from its description: sorted `key=value`, joined by semicolons. */
function stakaterHash(data: Record<string, string>, algorithm = 'sha1'): string {
  const lines = Object.entries(data).map(([key, value]) => `${key}=${value}`);
  return createHash(algorithm).update(lines.sort().join(';')).digest('hex');
}

const secretHash = (data: Record<string, string>): string =>
  stakaterHash(Object.fromEntries(Object.entries(data).map(([key, value]) => [key, `${CANARY}${value}`])));

/** The hash of the earlier operator: `key:value;` for each key. */
const earlierHash = (data: Record<string, string>): string =>
  createHash('sha256')
    .update(
      Object.entries(data)
        .map(([key, value]) => `${key}:${value};`)
        .sort()
        .join(''),
    )
    .digest('hex');

async function sources(s: Scene): Promise<void> {
  await s.secret('db', { password: 'one' });
  await s.configMap('settings', { mode: 'slow' });
}

/** A Deployment as Stakater's env-vars strategy leaves it. */
function byVariables(
  s: Scene,
  name: string,
  env: Record<string, string>,
  annotations: Record<string, string> = auto,
): Promise<Ref> {
  return s.deployment(name, {
    annotations,
    uses,
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
  });
}

const warned = (s: Scene, ref: Ref): boolean => s.events(ref).some(({ type }) => type === 'Warning');

export const takeover = [
  scenario(
    'O7: variables that Stakater wrote for the present content: no restart, no Warning, and the next change uses them',
    async (s) => {
      await sources(s);
      const web = await byVariables(s, 'web', {
        MINE: 'stays',
        STAKATER_DB_SECRET: secretHash({ password: 'one' }),
        STAKATER_SETTINGS_CONFIGMAP: stakaterHash({ mode: 'slow' }),
      });
      await s.operator();
      await s.adopted(web);
      await s.rolled([web, 0]);
      expect(warned(s, web)).toBe(false);
      await s.configMap('settings', { mode: 'fast' });
      await s.rolled([web, 1]);
      expect(s.env(web)).toEqual({
        MINE: 'stays',
        STAKATER_DB_SECRET: secretHash({ password: 'one' }),
        STAKATER_SETTINGS_CONFIGMAP: stakaterHash({ mode: 'fast' }),
      });
    },
  ),

  scenario('O7: the annotation that Stakater wrote: no restart, no Warning', async (s) => {
    await sources(s);
    const json = JSON.stringify({
      type: 'SECRET',
      name: 'db',
      namespace: s.namespace,
      hash: secretHash({ password: 'one' }),
      containerRefs: ['main'],
      observedAt: 1_700_000_000,
    });
    const web = await s.deployment('web', {
      annotations: auto,
      templateAnnotations: { 'last-reloaded-from': json },
      uses,
    });
    await s.operator({ args: ['--reload-strategy=annotations'] });
    await s.adopted(web);
    await s.rolled([web, 0]);
    expect(warned(s, web)).toBe(false);
    expect(s.template(web).metadata?.annotations?.[LAST_RELOADED_FROM]).toBe(json);
    await s.secret('db', { password: 'two' });
    await s.rolled([web, 1]);
  }),

  scenario(
    'O7: a hash of another content is adopted too, with a Warning and a metric; catch-up reloads instead',
    async (s) => {
      await sources(s);
      const old = { STAKATER_DB_SECRET: secretHash({ password: 'long ago' }) };
      const web = await byVariables(s, 'web', old);
      const first = await s.operator();
      await s.adopted(web);
      await s.rolled([web, 0]);
      await s.stage.until('the Warning', () => warned(s, web));
      expect(await first.metrics()).toMatch(/takeover|foreign/i);
      await first.stop();
      s.allow.unexplained = true;
      const late = await byVariables(s, 'late', old);
      await s.operator({ args: ['--takeover=catch-up'] });
      await s.rolled([late, 1], [web, 0]);
    },
  ),

  scenario('O7: hashes of the earlier operator are known as well', async (s) => {
    await sources(s);
    const web = await byVariables(
      s,
      'web',
      { STAKATER_SETTINGS_CONFIGMAP: earlierHash({ mode: 'slow' }) },
      {},
    );
    await s.config('config', {
      watchedResources: { configMaps: ['settings'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    await s.operator();
    await s.adopted(web);
    await s.rolled([web, 0]);
    expect(warned(s, web)).toBe(false);
  }),

  scenario(
    'O7: handed back with --digest=sha1, everything that Stakater compares is as it would have written it',
    async (s) => {
      await sources(s);
      const web = await byVariables(s, 'web', {});
      await s.operator({ args: ['--digest=sha1'] });
      await s.adopted(web);
      await s.secret('db', { password: 'two' });
      await s.configMap('settings', { mode: 'fast' });
      await s.rolled([web, 1]);
      expect(s.env(web)).toEqual({
        STAKATER_DB_SECRET: secretHash({ password: 'two' }),
        STAKATER_SETTINGS_CONFIGMAP: stakaterHash({ mode: 'fast' }),
      });
    },
  ),

  scenario(
    'O7: without that flag the digest of a Secret cannot be guessed from a short password',
    async (s) => {
      await sources(s);
      const web = await byVariables(s, 'web', {});
      await s.operator();
      await s.adopted(web);
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      expect(s.env(web).STAKATER_DB_SECRET).toMatch(/^[0-9a-f]{40}$/);
      expect(s.env(web).STAKATER_DB_SECRET).not.toBe(secretHash({ password: 'two' }));
      const digests = JSON.stringify([s.record(web), s.template(web).metadata]);
      expect(digests).not.toContain(secretHash({ password: 'two' }));
    },
  ),

  scenario('promise 2: changing how digests are made restarts nothing', async (s) => {
    await sources(s);
    const web = await byVariables(s, 'web', {});
    const first = await s.operator();
    await s.adopted(web);
    await s.secret('db', { password: 'two' });
    await s.rolled([web, 1]);
    await first.stop();
    const second = await s.operator({ args: ['--digest=sha1'] });
    await s.rolled([web, 1]);
    await s.secret('db', { password: 'three' });
    await s.rolled([web, 2]);
    await second.stop();
    await s.operator();
    await s.rolled([web, 2]);
    await s.secret('db', { password: 'four' });
    await s.rolled([web, 3]);
  }),

  scenario('promise 2: a lost digest key restarts nothing', async (s) => {
    await sources(s);
    const web = await byVariables(s, 'web', {});
    const first = await s.operator();
    await s.adopted(web);
    await first.stop();
    await s.remove('Secret', 'reloader-digest-key', first.namespace);
    await s.stage.quiet();
    await s.operator();
    await s.rolled([web, 0]);
    await s.secret('db', { password: 'two' });
    await s.rolled([web, 1]);
  }),
];
