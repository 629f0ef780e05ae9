/** Checks ReloaderConfigs: the sources that they watch, the targets that they reload, and whether those exist. */
import { systemClock } from '@reloader/runtime';
import { spec as specSchema } from '../crds/reloader-config/spec.ts';
import { parseGoDuration } from '../go/duration.ts';
import { DEFAULT_ANNOTATIONS, FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import type { ConfigFacts, TargetFacts } from '../reloader/model/config.ts';
import { nearest } from '../reloader/model/nearest.ts';
import type { SourceKind } from '../reloader/model/source.ts';
import { configFacts } from '../reloader/project/config-projection.ts';
import { watchesNothing } from '../reloader/want/config-match.ts';
import { crossNamespaceDenied } from '../reloader/want/cross-namespace.ts';
import { type SourceExists, specRemarks } from '../reloader/want/spec-remarks.ts';
import { neverOpen } from '../reloader/windows/opening.ts';
import { annotationsOf, type Corpus, textsOf, usedBy, valueAt } from './corpus.ts';
import type { Manifest } from './documents.ts';
import type { Report } from './finding.ts';
import { checkRoot, checkSchema, withoutNulls } from './schema.ts';

const API_VERSION = 'reloader.stakater.com/v1alpha1';

/** Returns its facts, if they can be read. */
export function checkReloaderConfig(manifest: Manifest, corpus: Corpus, report: Report): ConfigFacts[] {
  const { object, apiVersion, name, namespace } = manifest;
  if (apiVersion !== API_VERSION) {
    report('apiVersion', 'bad-api-version', `is ${apiVersion}: write ${API_VERSION}`, ['apiVersion']);
    return [];
  }
  if (name === '') report('metadata.name', 'missing-field', 'is missing', ['metadata']);
  checkRoot(object, specSchema, report);
  const refused: string[] = [];
  checkSchema(object.spec, specSchema, ['spec'], (field, ...finding) => {
    refused.push(field);
    report(field, ...finding);
  });
  const facts = configFacts(
    {
      metadata: {
        name,
        namespace,
        uid: '',
        resourceVersion: '',
        annotations: { ...textsOf(annotationsOf(manifest)) },
      },
      spec: withoutNulls(object.spec, specSchema),
    } as never,
    DEFAULT_ANNOTATIONS,
    Number.POSITIVE_INFINITY,
  );
  const isTold = (field: string): boolean =>
    refused.some((each) => each.startsWith(field) || field.startsWith(each));
  for (const { field, message } of facts.problems)
    if (!isTold(field)) report(field, 'bad-field', message, pathOf(field));
  if (refused.length === 0 && neverOpen(facts.windows, systemClock.now()))
    report('spec.windows', 'bad-window', 'never open: nothing would be reloaded', ['spec', 'windows']);
  checkLimits(object.spec, report);
  if (refused.length === 0) checkPurpose(facts, manifest, corpus, report);
  checkWatched(facts, manifest, corpus, report);
  facts.targets.forEach((target, index) => void checkTarget(target, index, facts, corpus, report));
  return [facts];
}

/** Converts `spec.targets[0].name` to a path. */
function pathOf(field: string): (string | number)[] {
  return field.split('.').flatMap((part) => {
    const [name = '', index] = part.split(/[[\]]/);
    return index === undefined ? [name] : [name, Number(index)];
  });
}

/** Limits of durations that are CEL rules of the definition, and so not in the schema. */
const LIMITS: readonly {
  readonly field: readonly string[];
  readonly least: string;
  readonly most: string;
}[] = [
  { field: ['settle'], least: '0s', most: '1h' },
  { field: ['batchWindow'], least: '0s', most: '24h' },
  { field: ['verify', 'timeout'], least: '1s', most: '24h' },
  { field: ['verify', 'stableFor'], least: '0s', most: '1h' },
  { field: ['canary', 'bake'], least: '0s', most: '168h' },
];

function checkLimits(spec: unknown, report: Report): void {
  const targets = valueAt(spec, ['targets']);
  const places = [
    ['spec'],
    ...(Array.isArray(targets) ? targets : []).map((_, at) => ['spec', 'targets', at]),
  ];
  for (const place of places) {
    for (const { field, least, most } of LIMITS) {
      const path = [...place, ...field];
      const text = valueAt({ spec }, path);
      const length = typeof text === 'string' ? duration(text) : undefined;
      if (length === undefined || (length >= parseGoDuration(least) && length <= parseGoDuration(most)))
        continue;
      report(nameOf(path), 'bad-duration', `is ${text}: ${least} to ${most} are accepted`, path);
    }
  }
}

/** Converts a path to `spec.targets[0].name`. */
function nameOf(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`),
    '',
  );
}

/** Undefined if it is invalid, which the check of the schema has reported. */
function duration(text: string): number | undefined {
  try {
    return parseGoDuration(text);
  } catch {
    return undefined;
  }
}

function checkPurpose(facts: ConfigFacts, manifest: Manifest, corpus: Corpus, report: Report): void {
  const { namespace, object } = manifest;
  if (watchesNothing(facts))
    report(
      'spec.watchedResources',
      'nothing-to-watch',
      'names nothing: give secrets, configMaps, a resourceSelector or autoReloadAll',
      ['spec', 'watchedResources'],
    );
  if (facts.targets.length === 0 && !Array.isArray(valueAt(object.spec, ['targets'])))
    report('spec.targets', 'no-target', 'is missing: nothing would be reloaded', ['spec']);
  else if (facts.targets.length === 0 && facts.problems.length === 0)
    report('spec.targets', 'no-target', 'is empty: nothing would be reloaded', ['spec', 'targets']);
  const exists: SourceExists = ({ kind, name }) => corpus.source(namespace, kind, name) !== undefined;
  for (const { field, rule, message } of specRemarks(facts, exists))
    report(field, rule, message, pathOf(field));
}

function checkWatched(facts: ConfigFacts, { namespace }: Manifest, corpus: Corpus, report: Report): void {
  if (facts.namespaceSelector) return;
  const lists = [
    {
      kind: 'Secret' as SourceKind,
      other: 'ConfigMap' as SourceKind,
      field: 'secrets',
      names: facts.secrets,
    },
    {
      kind: 'ConfigMap' as SourceKind,
      other: 'Secret' as SourceKind,
      field: 'configMaps',
      names: facts.configMaps,
    },
  ];
  for (const { kind, other, field, names } of lists) {
    const known = corpus.sourcesIn(namespace, kind).map(({ manifest }) => manifest.name);
    for (const [index, name] of names.entries()) {
      const path = ['spec', 'watchedResources', field, index];
      const at = `spec.watchedResources.${field}[${index}]`;
      const source = corpus.source(namespace, kind, name);
      const close = known.length > 0 ? nearest(name, known) : undefined;
      if (source) checkLabels(facts, source.labels, at, path, report);
      else if (corpus.source(namespace, other, name))
        report(at, 'wrong-list', `is ${name}, which is a ${other}: this list is for ${kind}s`, path);
      else if (close) {
        const message = `is ${name}, and there is no such ${kind} in these files: did you mean ${close}?`;
        report(at, 'unknown-name', message, path);
      }
    }
  }
  const all = [...corpus.sourcesIn(namespace, 'Secret'), ...corpus.sourcesIn(namespace, 'ConfigMap')];
  const { resourceSelector } = facts;
  const selects = facts.secrets.length + facts.configMaps.length === 0 && !facts.autoReloadAll;
  if (
    resourceSelector &&
    selects &&
    all.length > 0 &&
    !all.some(({ labels }) => resourceSelector.matches(labels))
  ) {
    report(
      'spec.watchedResources.resourceSelector',
      'matches-nothing',
      'matches no Secret and no ConfigMap of these files',
      ['spec', 'watchedResources', 'resourceSelector'],
    );
  }
}

function checkLabels(
  facts: ConfigFacts,
  labels: Readonly<Record<string, string>>,
  field: string,
  path: (string | number)[],
  report: Report,
): void {
  const missing = Object.entries(facts.matchLabels).find(([key, value]) => labels[key] !== value);
  if (missing)
    report(
      field,
      'labels-differ',
      `does not carry the label ${missing[0]}: ${missing[1]} that spec.matchLabels asks for`,
      path,
    );
  else if (facts.resourceSelector && !facts.resourceSelector.matches(labels))
    report(field, 'labels-differ', 'does not match resourceSelector, which filters what is named', path);
}

function checkTarget(
  target: TargetFacts,
  index: number,
  facts: ConfigFacts,
  corpus: Corpus,
  report: Report,
): void {
  const { kind, namespace, name } = target;
  const field = `spec.targets[${index}]`;
  const path = ['spec', 'targets', index];
  if (namespace !== facts.metadata.namespace && facts.metadata.namespace !== '')
    checkConsent(namespace, facts, corpus, field, path, report);
  const there = corpus.workloadsIn(namespace);
  if (there.length === 0) return;
  const found = there.find(({ manifest }) => manifest.kind === kind && manifest.name === name);
  if (found) {
    const used = usedBy(found.facts.pod);
    const watched = [
      ...facts.secrets.map((each) => `Secret/${each}`),
      ...facts.configMaps.map((each) => `ConfigMap/${each}`),
    ];
    const isUsed = used.some((each) => watched.includes(`${each.kind}/${each.name}`));
    if (
      target.requireReference &&
      facts.enableTargetedReload &&
      watched.length > 0 &&
      !isUsed &&
      !facts.resourceSelector
    ) {
      report(
        `${field}.requireReference`,
        'never-reloads',
        `asks that ${kind} ${name} refers to what changed, and it refers to nothing that is watched`,
        [...path, 'requireReference'],
      );
    }
    return;
  }
  const other = there.find(({ manifest }) => manifest.name === name);
  const alike = there.filter(({ manifest }) => manifest.kind === kind).map(({ manifest }) => manifest.name);
  // Targets may be in other files: if none of the kind is here, nothing is concluded.
  if (!other && alike.length === 0) return;
  const close = nearest(name, alike);
  const hint = other ? `: ${name} is a ${other.manifest.kind}` : close ? `: did you mean ${close}?` : '';
  report(field, 'missing-target', `is ${kind} ${name}, and there is none in these files${hint}`, path);
}

function checkConsent(
  namespace: string,
  facts: ConfigFacts,
  corpus: Corpus,
  field: string,
  path: (string | number)[],
  report: Report,
): void {
  const manifest = corpus.namespace(namespace);
  if (!manifest) return;
  const annotations = textsOf(annotationsOf(manifest));
  const world = {
    namespace: () => ({
      metadata: { name: namespace, uid: '', resourceVersion: '' },
      labels: {},
      annotations,
      deleting: false,
    }),
  };
  if (crossNamespaceDenied(facts, namespace, world, { allowCrossNamespace: false })) {
    report(
      `${field}.namespace`,
      'not-allowed',
      `is ${namespace}, which does not allow it: annotate that Namespace with ${FIXED_ANNOTATIONS.allowFrom}: "${facts.metadata.namespace}"`,
      [...path, 'namespace'],
    );
  }
}
