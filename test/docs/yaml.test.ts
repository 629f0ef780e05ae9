/** An API server with our definitions and strict validation accepts every YAML block of the documentation. */
import { existsSync } from 'node:fs';
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import {
  AlreadyExistsError,
  type Client,
  createClient,
  type Discovery,
  discover,
  type KubernetesObject,
  kinds,
} from '@reloader/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { applyCrds } from '../../packages/operator/src/crds/apply.ts';
import { type Block, blocksOf, isOurs, pages, ROOT, read } from './blocks.ts';

/** A block that is quoted from a file is tested with that file. */
const isRun = (block: Block): boolean =>
  block.language === 'yaml' && isOurs(block) && !(block.info !== '' && existsSync(`${ROOT}/${block.info}`));

const withYaml = pages()
  .map((page) => [page, blocksOf(read(page)).filter(isRun)] as const)
  .filter(([, blocks]) => blocks.length > 0);

describe.each(withYaml)('%s', (page, blocks) => {
  let cluster: Minicluster;
  let client: Client;
  let discovery: Discovery;
  beforeAll(async () => {
    cluster = await startMinicluster({ workloads: false });
    client = createClient({ transport: cluster.transport() });
    await applyCrds(client);
    discovery = await discover(client);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  test.each(blocks.map((block) => [block.line, block] as const))(
    'line %i is accepted',
    async (line, { text }) => {
      const documents = parseAllDocuments(text);
      expect(documents.length, `${page}:${line} holds nothing`).toBeGreaterThan(0);
      for (const document of documents) {
        expect(document.errors).toEqual([]);
        await apply(client, discovery, document.toJS() as KubernetesObject);
      }
    },
  );
});

async function apply(client: Client, discovery: Discovery, object: KubernetesObject): Promise<void> {
  const { apiVersion = '', kind = '', metadata = {} } = object;
  const type = await discovery.resolveKind({ apiVersion, kind });
  const namespace = metadata.namespace ?? 'default';
  if (type.namespaced) {
    await client.create(kinds.Namespace, { metadata: { name: namespace } }).catch((error: unknown) => {
      if (!(error instanceof AlreadyExistsError)) throw error;
    });
  }
  const named = { ...object, metadata: { ...metadata, ...(type.namespaced && { namespace }) } };
  await client.apply(type, named, { fieldManager: 'docs', force: true, fieldValidation: 'Strict' });
}
