import { readFileSync } from 'node:fs';
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import { type Client, createClient } from '@reloader/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { applyCrds } from './apply.ts';
import { answerTo, SCHEMA_CASES } from './cases/reloader-configs.ts';
import { generatedCrds } from './generate.ts';
import type { JsonSchema } from './json-schema.ts';
import { type ReloaderConfigObject, ReloaderConfigs, reloaderConfigCrd } from './reloader-config.ts';

const inRepository = (path: string): string =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

let cluster: Minicluster;
let client: Client;
beforeAll(async () => {
  cluster = await startMinicluster({ workloads: false });
  client = createClient({ transport: cluster.transport() });
  await applyCrds(client);
});
afterAll(async () => {
  await client.close();
  await cluster.stop();
});

describe('the schema', () => {
  test.each(SCHEMA_CASES)('$name', async (row) => {
    const answer = await answerTo(client, row);
    if (row.refused === undefined) expect(answer).toBeUndefined();
    else expect(answer).toContain(row.refused);
  });

  test('describes every field, and sets no default', () => {
    const missing: string[] = [];
    const visit = (schema: JsonSchema, path: string): void => {
      expect(schema, path).not.toHaveProperty('default');
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        const inner = `${path}.${name}`;
        if (!property.description && inner !== '.metadata') missing.push(inner);
        visit(property, inner);
      }
      if (schema.items) visit(schema.items, `${path}[]`);
    };
    const { versions } = reloaderConfigCrd.spec as {
      versions: { schema: { openAPIV3Schema: JsonSchema } }[];
    };
    for (const { schema } of versions) visit(schema.openAPIV3Schema, '');
    expect(missing).toEqual([]);
  });

  test('stores the spec as it was written', async () => {
    const spec = { targets: [{ kind: 'Deployment' as const, name: 'web' }] };
    const stored = await client.create(ReloaderConfigs, {
      metadata: { namespace: 'default', name: 'plain' },
      spec,
    });
    expect(stored.spec).toEqual(spec);
  });
});

describe('the files', () => {
  test.each([...generatedCrds()])('%s is up to date (`npm run generate` writes it)', (path, content) => {
    expect(inRepository(path)).toBe(content);
  });

  test('the sample is accepted as it is', async () => {
    const sample = parse(inRepository('config/samples/reloader_v1alpha1_reloaderconfig.yaml'));
    const object: ReloaderConfigObject = {
      ...sample,
      metadata: { ...sample.metadata, namespace: 'default' },
    };
    const stored = await client.create(ReloaderConfigs, object, { fieldValidation: 'Strict' });
    expect(stored.metadata.name).toBe('reloaderconfig-sample');
  });
});
