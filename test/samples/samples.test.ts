/**
 * Every sample of the documentation with what people read about it, recorded: a change of words is seen in review.
 * `npx vitest run test/samples -u` records anew.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { KubernetesObject } from '@reloader/runtime';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { WORKLOAD_KINDS } from '../../packages/operator/src/reloader/model/workload.ts';
import { blocksOf, isOurs, pages, ROOT, read } from '../docs/blocks.ts';
import { Scene } from './scene.ts';

const OURS = ['ReloaderConfig', 'PodConfigMapConfig'];
/** What is needed by neither side, or refers to what minicluster does not serve. */
const LEFT_OUT = ['CustomResourceDefinition', 'Rollout', 'DeploymentConfig', 'HelmRelease', 'Application'];

const documents = (text: string): KubernetesObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
const samples = (folder: string): [string, KubernetesObject[]][] =>
  readdirSync(`${ROOT}/${folder}`)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [`${folder}/${file}`, documents(readFileSync(`${ROOT}/${folder}/${file}`, 'utf8'))]);
const ofPages: [string, KubernetesObject[]][] = pages().map((page) => [
  page,
  blocksOf(read(page))
    .filter((block) => block.language === 'yaml' && isOurs(block))
    .flatMap(({ text }) => documents(text)),
]);

const isTold = ({ kind = '', metadata }: KubernetesObject): boolean =>
  OURS.includes(kind) || (WORKLOAD_KINDS as readonly string[]).includes(kind)
    ? metadata?.name !== undefined
    : false;
const ALL = [...ofPages, ...samples('config/samples'), ...samples('test/samples/bad')]
  .map(
    ([name, objects]) => [name, objects.filter(({ kind = '' }) => kind && !LEFT_OUT.includes(kind))] as const,
  )
  .filter(([, objects]) => objects.some(({ kind = '' }) => OURS.includes(kind)));

describe.each(ALL)('%s', (name, objects) => {
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
