/**
 * The example of docs/safety.md, unchanged: a bad ConfigMap stops at the first of twenty workloads, and the fix is
 * rolled out.
 */
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Ref } from '../reloader/chronicle.ts';
import { playVirtually } from '../reloader/play-virtually.ts';
import { scenario } from '../reloader/scenario.ts';
import type { Scene } from '../reloader/scene.ts';
import { blocksOf, printsAs, read } from './blocks.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly spec?: object;
}

const page = blocksOf(read('docs/safety.md'));

/** Replaces the namespace of the page by that of the scene. */
function saved(s: Scene, file: string, app = 'app-1'): Manifest[] {
  const text = (page.find(({ info }) => info === file)?.text ?? '').replaceAll('app-1', app);
  const here = text.replaceAll('namespace: safety', `namespace: ${s.namespace}`);
  return parseAllDocuments(here).map((document) => document.toJS() as Manifest);
}

async function apply(s: Scene, file: string, app?: string): Promise<void> {
  for (const manifest of saved(s, file, app)) {
    const { kind, metadata, data = {}, spec = {} } = manifest;
    if (kind === 'ConfigMap') await s.configMap(metadata.name, data);
    if (kind === 'ReloaderConfig') await s.config(metadata.name, spec);
    if (kind === 'Deployment') await s.create(manifest as Parameters<Scene['create']>[0]);
  }
}

const MINUTES = 60_000;
const NAMES = Array.from({ length: 20 }, (_, index) => `app-${index + 1}`);

/** Creates the workloads as the loop on the page does. */
async function twenty(s: Scene): Promise<Ref[]> {
  await apply(s, 'safety.yaml');
  for (const name of NAMES) await apply(s, 'app.yaml', name);
  return NAMES.map((name) => s.ref('Deployment', name));
}

playVirtually('docs/safety.md', [
  scenario('a bad ConfigMap stops at the first of twenty workloads', async (s) => {
    const apps = await twenty(s);
    const [, second] = apps as [Ref, Ref];
    const began = (): number[] => apps.map((ref) => s.rollouts(ref));
    const told = (): string | undefined =>
      s.events(second).find(({ reason }) => reason === 'FailedElsewhere')?.message;
    await s.operator();
    await s.adopted(...apps);
    await apply(s, 'bad.yaml');
    await s.stage.until('the others to be held', () => told() !== undefined, 2 * MINUTES);
    await s.stage.quiet(2 * MINUTES);
    expect(began()).toEqual([1, ...NAMES.slice(1).map(() => 0)]);
    const shown = page.find(({ language }) => language === 'text')?.text ?? '';
    const message = (told() ?? '').replaceAll(s.namespace, 'safety').replace(/^failed-elsewhere: /, '');
    expect(printsAs(`${message}\n`, shown), message).toBe(true);
    await apply(s, 'fixed.yaml');
    await s.stage.until('all of them', () => began().every((count) => count > 0), 30 * MINUTES);
    await s.rolled(...apps.map((ref, index) => [ref, index === 0 ? 2 : 1] as const));
  }),

  scenario(
    'what was there before is put back: the first is undone, the others have nothing to do',
    async (s) => {
      const apps = await twenty(s);
      const [first] = apps as [Ref];
      const told = (reason: string): boolean => s.events(first).some((event) => event.reason === reason);
      await s.operator();
      await s.adopted(...apps);
      await apply(s, 'bad.yaml');
      await s.stage.until('the failure', () => told('RolloutFailed'), 2 * MINUTES);
      await s.configMap('settings', { greeting: 'hello' });
      await s.stage.until('the undo', () => told('ReloadUndone'), MINUTES);
      await s.stage.until('the outcome', () => told('ReloadVerified'), 2 * MINUTES);
      expect(apps.map((ref) => s.rollouts(ref))).toEqual([2, ...NAMES.slice(1).map(() => 0)]);
    },
  ),
]);
