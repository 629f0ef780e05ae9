/** The examples, as far as a bare control plane can check them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Manifest, template, type Values } from './helm.ts';

const ROOT = fileURLToPath(new URL('../../examples/', import.meta.url));
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml') && !path.includes('node_modules'))
  .sort();
const documents = (path: string): Manifest[] =>
  parseAllDocuments(readFileSync(`${ROOT}${path}`, 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });

/** API groups that are served here. */
const KNOWN = /^(v1|apps\/v1|policy\/v1|reloader\.stakater\.com\/)/;

const cluster = useControlPlane();

beforeAll(async () => {
  await cluster().kubectl([
    'apply',
    '--server-side',
    '-f',
    fileURLToPath(new URL('../../crd', import.meta.url)),
  ]);
  await cluster().kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=20s']);
});

describe.for(files.filter((path) => !path.endsWith('values.yaml')))('%s', (path) => {
  test('holds objects with a name', () => {
    for (const { apiVersion, kind, metadata } of documents(path))
      expect({ apiVersion, kind, name: metadata.name }).toEqual({
        apiVersion: expect.any(String),
        kind: expect.any(String),
        name: expect.any(String),
      });
  });

  test('is valid where the API server knows the kind', async () => {
    const items = documents(path).filter(({ apiVersion }) => KNOWN.test(apiVersion));
    for (const item of items.filter(({ kind }) => kind === 'Namespace'))
      await cluster().kubectl(['apply', '--server-side', '-f', '-'], { input: item });
    for (const item of items) {
      const flags = ['--dry-run=server', '--validate=strict', '--server-side'];
      await cluster().kubectl(['apply', ...flags, '-f', '-'], { input: item });
    }
  });
});

test('values of examples are values of the chart', async () => {
  const application = documents('argo-cd/reloader.yaml')[0]?.spec as {
    source: { helm: { valuesObject: Values } };
  };
  const release = documents('flux/reloader.yaml').find(({ kind }) => kind === 'HelmRelease')?.spec as {
    values: Values;
  };
  const monitoring = parse(readFileSync(`${ROOT}monitoring/values.yaml`, 'utf8')) as Values;
  for (const values of [application.source.helm.valuesObject, release.values, monitoring])
    expect((await template(values)).length).toBeGreaterThan(0);
});
