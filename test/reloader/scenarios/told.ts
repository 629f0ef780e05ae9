/** Events for users: each mistake once, and every reload. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';

interface SomeEvent {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

const uses = [{ secret: 'db' }] as const;
const PREFIX = 'reloader.stakater.com';

export const told = [
  scenario('an annotation that does not exist gets a Warning with what may have been meant', async (s) => {
    await s.secret('db', { a: '1' });
    const typo = await s.deployment('typo', { annotations: { atuo: 'true' }, uses });
    const newer = await s.deployment('newer', {
      annotations: { auto: 'true', 'a-thing-of-version-nine': 'Sundays' },
      uses,
    });
    await s.operator();
    await s.adopted(newer);
    const warning = (about: typeof typo, hint: string) => () =>
      s
        .events(about)
        .some(
          ({ type, reason, message }) =>
            type === 'Warning' && reason === 'UnknownAnnotation' && message.includes(hint),
        );
    await s.stage.until('a Warning about the typing error', warning(typo, `did you mean ${PREFIX}/auto?`));
    await s.stage.until(
      'a Warning about what is newer',
      warning(newer, `${PREFIX}/a-thing-of-version-nine: `),
    );
    await s.secret('db', { a: '2' });
    await s.rolled([typo, 0], [newer, 1]);
  }),

  scenario('the same on Secrets, ConfigMaps and Namespaces', async (s) => {
    await s.secret('db', { a: '1' }, { annotations: { matc: 'true' } });
    await s.configMap('settings', { a: '1' }, { annotations: { match: 'true' } });
    await s.annotate(s.ref('Namespace', s.namespace), { freez: 'true' });
    const web = await s.deployment('web', { annotations: { search: 'true' }, uses });
    await s.operator();
    const warned = (about: Ref, hint: string) => async () => {
      const { items } = await s.stage.client.list(kinds.CoreEvent, { namespace: about.namespace });
      return (items as unknown as SomeEvent[]).some(
        ({ involvedObject, type, reason, message }) =>
          involvedObject?.kind === about.kind &&
          involvedObject.name === about.name &&
          type === 'Warning' &&
          reason === 'UnknownAnnotation' &&
          message?.includes(`did you mean ${PREFIX}/${hint}?`),
      );
    };
    await s.stage.until('a Warning on the Secret', warned(s.ref('Secret', 'db'), 'match'));
    // Events about cluster-scoped objects are in the namespace `default`.
    await s.stage.until(
      'a Warning on the Namespace',
      warned(s.ref('Namespace', s.namespace, 'default'), 'freeze'),
    );
    await s.annotate(s.ref('ConfigMap', 'settings'), { ignor: 'true' });
    await s.stage.until('a Warning on the ConfigMap', warned(s.ref('ConfigMap', 'settings'), 'ignore'));
    expect(s.events(web).filter(({ type }) => type === 'Warning')).toEqual([]);
  }),

  scenario('a mistake is reported once, however often the operator starts', async (s) => {
    await s.secret('db', { a: '1' });
    const odd = await s.deployment('odd', { annotations: { auto: 'true', kind: 'pod' }, uses });
    const about = () => s.events(odd).filter(({ reason }) => reason === 'UnknownKind');
    for (const name of ['first', 'second']) {
      const operator = await s.operator({ name });
      await s.adopted(odd);
      await s.stage.until('the Warning', () => about().length > 0);
      await s.stage.quiet();
      await operator.stop();
    }
    expect(about()).toHaveLength(1);
  }),

  scenario('a burst of reloads is one Event on the ReloaderConfig, which names all of them', async (s) => {
    await s.secret('db', { a: '1' });
    const names = ['api', 'web', 'worker'];
    const targets = [];
    for (const name of names) targets.push(await s.deployment(name, { uses }));
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: names.map((name) => ({ kind: 'Deployment', name })),
    });
    await s.operator();
    await s.adopted(...targets);
    const heard = () =>
      s
        .events(config)
        .filter(({ reason }) => reason === 'Reloaded')
        .map(({ message }) => message);
    await s.secret('db', { a: '2' });
    for (const target of targets) await s.rolled([target, 1]);
    await s.stage.until('the Event', () => heard().length > 0);
    const all = names.map((name) => `Deployment ${s.namespace}/${name}`).join(', ');
    expect(heard()).toEqual([`3 workloads reloaded because of Secret ${s.namespace}/db: ${all}`]);
    await s.counted(config, 3);
  }),

  scenario('the log begins with who speaks, and counts what passes the filters', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { annotations: { auto: 'true' }, uses });
    const other = await s.deployment('other', { annotations: { auto: 'true', kind: 'configmap' }, uses });
    const { log } = await s.operator();
    await s.adopted(web);
    expect(log[0]).toMatchObject({
      message: 'Reloader Operator starts',
      values: {
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        mode: 'reload',
        installation: expect.stringMatching(/^[^/]+\/[^/]+$/),
      },
    });
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1], [other, 0]);
    const counted = log.filter(({ message }) => message === 'Found targets for reload');
    expect(counted.map(({ values }) => values.totalTargets)).toEqual([1]);
  }),
];
