/**
 * Every sample: those on the pages of the documentation, those in `config/samples`, and those with intended mistakes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { KubernetesObject } from '@reloader/runtime';
import { parseAllDocuments } from 'yaml';
import { WORKLOAD_KINDS } from '../../packages/operator/src/reloader/model/workload.ts';
import { blocksOf, isOurs, pages, ROOT, read } from '../docs/blocks.ts';

export const OURS: readonly string[] = ['ReloaderConfig', 'PodConfigMapConfig'];
/** Kinds that neither side needs, or that minicluster does not serve. */
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

export const isTold = ({ kind = '', metadata }: KubernetesObject): boolean =>
  OURS.includes(kind) || (WORKLOAD_KINDS as readonly string[]).includes(kind)
    ? metadata?.name !== undefined
    : false;
export const SAMPLES = [...ofPages, ...samples('config/samples'), ...samples('test/samples/bad')]
  .map(
    ([name, objects]) => [name, objects.filter(({ kind = '' }) => kind && !LEFT_OUT.includes(kind))] as const,
  )
  .filter(([, objects]) => objects.some(({ kind = '' }) => OURS.includes(kind)));
