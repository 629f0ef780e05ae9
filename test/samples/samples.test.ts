/**
 * Every sample of the documentation with the messages that users read about it, recorded, so that a review shows a
 * change of words. `npx vitest run test/samples -u` updates the recording.
 */
import type { KubernetesObject } from '@reloader/runtime';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isTold, OURS, SAMPLES } from './corpus.ts';
import { Scene } from './scene.ts';

describe.each(SAMPLES)('%s', (name, objects) => {
  test('is told as it is recorded', async () => {
    const scene = await Scene.set();
    onTestFinished(() => scene.stage.close());
    const there: KubernetesObject[] = [];
    for (const object of objects) there.push(await scene.apply(object));
    await scene.operate();
    const parts: string[] = [];
    for (const object of there.filter(isTold)) {
      const { kind = '', metadata } = object;
      const text = OURS.includes(kind) ? await scene.described(object) : await scene.explained(object);
      parts.push(`# ${kind} ${metadata?.namespace}/${metadata?.name}\n${text}`);
    }
    expect(parts.length).toBeGreaterThan(0);
    await expect(parts.join('\n')).toMatchFileSnapshot(`recorded/${name.replaceAll('/', '-')}.txt`);
  });
});
