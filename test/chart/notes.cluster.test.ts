/** The notes that Helm prints after an installation. */
import { describe, expect, test } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import { CHART, type Values } from './helm.ts';

const cluster = useControlPlane();

describe('the notes after an installation', () => {
  const notes = async (values: Values): Promise<string> => {
    const json = `reloader=${JSON.stringify(values)}`;
    const args = [
      'install',
      'reloader',
      CHART,
      '--namespace=default',
      '--dry-run=server',
      '--set-json',
      json,
    ];
    const text = await cluster().helm(args);
    return text.slice(text.indexOf('NOTES:'));
  };

  test('end with the next command to type', async () => {
    expect((await notes({})).trimEnd().split('\n').at(-1)?.trim()).toBe(
      'reloader check --operator-namespace default',
    );
  });

  test('name the annotation of custom_annotations', async () => {
    expect(await notes({})).toContain('kubectl annotate deployment NAME reloader.stakater.com/auto=true');
    expect(await notes({ custom_annotations: { auto: 'mine/auto' } })).toContain(
      'kubectl annotate deployment NAME mine/auto=true',
    );
  });

  test('with autoReloadAll, tell how to leave one out', async () => {
    const text = await notes({ autoReloadAll: true });
    expect(text).toContain('reloader.stakater.com/auto=false');
    expect(text).not.toContain('Opt a workload in');
  });

  test('with webhookUrl, tell that nothing restarts', async () => {
    const text = await notes({ webhookUrl: 'https://hooks.example.com' });
    expect(text).toContain('It restarts nothing');
    expect(text).not.toContain('kubectl annotate');
  });
});
