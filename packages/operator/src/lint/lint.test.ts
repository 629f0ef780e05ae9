import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ANNOTATION_MISTAKES } from './cases/annotation-mistakes.ts';
import { CONFIG_MISTAKES } from './cases/config-mistakes.ts';
import { CORRECT } from './cases/correct.ts';
import { config, TARGETS, WATCHED } from './cases/objects.ts';
import { POD_CONFIG_MISTAKES } from './cases/pod-config-mistakes.ts';
import { lint } from './lint.ts';

const MISTAKES = [...ANNOTATION_MISTAKES, ...CONFIG_MISTAKES, ...POD_CONFIG_MISTAKES];

const asYaml = (objects: readonly object[]): string =>
  objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
const found = (text: string) => lint([{ file: 'a.yaml', text }]).findings;

describe('each mistake is found, and nothing else is said', () => {
  test.each(MISTAKES.map((mistake) => [mistake.what, mistake] as const))('%s', (_, { rule, objects }) => {
    expect(found(asYaml(objects)).map((finding) => finding.rule)).toEqual([rule]);
  });

  test('there are more than 40 of them, no two alike', () => {
    expect(new Set(MISTAKES.map(({ objects }) => JSON.stringify(objects))).size).toBeGreaterThanOrEqual(40);
  });
});

describe('nothing is said about', () => {
  test.each(Object.entries(CORRECT))('%s', (_, objects) => {
    expect(found(asYaml(objects))).toEqual([]);
  });

  test('more than 40 correct manifests', () => {
    expect(Object.keys(CORRECT).length).toBeGreaterThanOrEqual(40);
  });

  test('the same manifests in JSON', () => {
    for (const objects of Object.values(CORRECT)) {
      expect(found(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, undefined, 2))).toEqual(
        [],
      );
    }
  });
});

test('a finding names file, line, object, annotation, and what to write instead', () => {
  const text = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  annotations:
    reloader.stakater.com/autoo: "true"
`;
  expect(found(text)).toEqual([
    {
      file: 'a.yaml',
      line: 12,
      object: 'Deployment shop/web',
      field: 'reloader.stakater.com/autoo',
      rule: 'unknown-annotation',
      message: 'is not known: did you mean reloader.stakater.com/auto?',
    },
  ]);
});

test('the condition of every target is checked, of any number', () => {
  const targets = Array.from({ length: 30 }, (_, index) => ({
    kind: 'Deployment',
    name: `web-${index}`,
    condition: `source.labels.size() > ${index} &&`,
  }));
  const object = {
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: { name: 'a', namespace: 'shop' },
    spec: { watchedResources: { secrets: ['a'] }, targets },
  };
  const fields = found(asYaml([object])).flatMap(({ rule, field }) => (rule === 'bad-field' ? [field] : []));
  expect(fields).toEqual(targets.map((_, index) => `spec.targets[${index}].condition`));
});

test('a field that the schema refuses does not hide other mistakes', () => {
  const spec = {
    watchedResources: { secrets: ['a'] },
    targets: [{ kind: 'Deployment', name: 'web' }],
    settle: 5,
    windows: [{ schedule: '0 0 * * *', duration: '1h', timeZone: 'Mars/Olympus' }],
  };
  const object = {
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: { name: 'a', namespace: 'shop' },
    spec,
  };
  expect(found(asYaml([object])).map(({ rule }) => rule)).toEqual(['bad-type', 'bad-field']);
});

test('objects of several files are checked together', () => {
  const [mistake] = MISTAKES.filter(({ rule }) => rule === 'wrong-list');
  const files = (mistake?.objects ?? []).map((object, index) => ({
    file: `${index}.yaml`,
    text: asYaml([object]),
  }));
  expect(lint(files).findings.map(({ file, rule }) => `${file} ${rule}`)).toEqual(['0.yaml wrong-list']);
});

test('a file that cannot be parsed is a finding, and the others are checked', () => {
  const { findings } = lint([
    { file: 'bad.yaml', text: 'a: [1\nb: {{ .Values.name }}\n' },
    { file: 'good.yaml', text: asYaml(MISTAKES[0]?.objects ?? []) },
  ]);
  expect(findings.map(({ file, rule }) => `${file} ${rule}`)).toEqual([
    'bad.yaml unreadable',
    'good.yaml unknown-annotation',
  ]);
});

test('a file in another encoding is a finding, because nothing in it was checked', () => {
  const text = Buffer.from(asYaml(MISTAKES[0]?.objects ?? []), 'utf16le').toString('utf8');
  const { findings } = lint([{ file: 'windows.yaml', text }]);
  expect(findings.map(({ file, rule, message }) => `${file} ${rule} ${message}`)).toEqual([
    'windows.yaml unreadable cannot be read: holds NUL characters, as binary files and UTF-16 do: save it as UTF-8',
  ]);
});

test('the finding about a schedule says how to write one', () => {
  const windows = [{ schedule: '@daily', duration: '1h' }];
  const object = config({ watchedResources: WATCHED, targets: TARGETS, windows });
  const { findings } = lint([{ file: 'a.yaml', text: asYaml([object]) }]);
  expect(findings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('five fields such as "0 2 * * 1-5"'),
  );
});

test('values files and empty files are skipped', () => {
  for (const text of ['', '---\n', 'replicas: 3\n', '- a\n- b\n', 'null\n', '42\n'])
    expect(found(text)).toEqual([]);
});

test('no manifest makes it throw', () => {
  const odd = fc.oneof(fc.jsonValue(), fc.constant({ annotations: { 'reloader.stakater.com/auto': {} } }));
  fc.assert(
    fc.property(
      fc.constantFrom('Deployment', 'CronJob', 'Secret', 'ReloaderConfig', 'PodConfigMapConfig', 'Namespace'),
      odd,
      odd,
      (kind, metadata, spec) => {
        const apiVersion = {
          Deployment: 'apps/v1',
          CronJob: 'batch/v1',
          Secret: 'v1',
          Namespace: 'v1',
          ReloaderConfig: 'reloader.stakater.com/v1alpha1',
          PodConfigMapConfig: 'podconfig.example.com/v1alpha1',
        }[kind];
        lint([{ file: 'odd.json', text: JSON.stringify({ apiVersion, kind, metadata, spec }) }]);
      },
    ),
    { numRuns: 500 },
  );
});
