/** Checks annotations of one object: their names, their place, and their values. */
import { DEFAULT_ANNOTATIONS, isOurs } from '../reloader/model/annotations.ts';
import { nearest } from '../reloader/model/nearest.ts';
import { type Corpus, metadataOf, templatePath, valueAt, workloadKindOf } from './corpus.ts';
import { isJson, type Json, type Manifest } from './documents.ts';
import type { Report } from './finding.ts';
import { KNOWN, type Place } from './known-annotations.ts';
import { checkValue } from './values.ts';

type Path = readonly (string | number)[];

export function checkAnnotations(manifest: Manifest, corpus: Corpus, report: Report): void {
  const metadata = metadataOf(manifest);
  const place = placeOf(manifest);
  checkMap(metadata.annotations, ['metadata', 'annotations'], place, manifest, corpus, report);
  misplaced(
    metadata.labels,
    ['metadata', 'labels'],
    'is a label here: it counts only as an annotation',
    report,
  );
  misplaced(
    metadata.annotation,
    ['metadata', 'annotation'],
    'stands under "annotation": the field is called annotations',
    report,
  );
  misplaced(
    valueAt(manifest.object, ['spec', 'annotations']),
    ['spec', 'annotations'],
    'stands under spec: annotations belong under metadata',
    report,
  );
  misplaced(
    manifest.object.annotations,
    ['annotations'],
    'stands beside metadata: annotations belong under metadata',
    report,
  );
  const kind = workloadKindOf(manifest);
  if (!kind) return;
  const path = templatePath(kind);
  const template = valueAt(manifest.object, [...path, 'metadata']);
  if (!isJson(template)) return;
  checkMap(template.annotations, [...path, 'metadata', 'annotations'], 'template', manifest, corpus, report);
  misplaced(
    template.labels,
    [...path, 'metadata', 'labels'],
    'is a label here: it counts only as an annotation',
    report,
  );
}

function placeOf(manifest: Manifest): Place | undefined {
  const { kind, apiVersion } = manifest;
  if (workloadKindOf(manifest)) return 'workload';
  if (kind === 'Namespace' && apiVersion === 'v1') return 'namespace';
  if (apiVersion === 'v1' && (kind === 'Secret' || kind === 'ConfigMap')) return 'source';
  if (kind === 'SecretProviderClass') return 'source';
  return kind === 'ReloaderConfig' ? 'config' : undefined;
}

function misplaced(map: unknown, path: Path, why: string, report: Report): void {
  if (!isJson(map)) return;
  for (const name of Object.keys(map)) {
    if (isOurs(name, DEFAULT_ANNOTATIONS)) report(name, 'not-an-annotation', why, [...path, name]);
  }
}

function checkMap(
  map: unknown,
  path: Path,
  place: Place | undefined,
  manifest: Manifest,
  corpus: Corpus,
  report: Report,
): void {
  if (!isJson(map)) return;
  for (const [name, value] of Object.entries(map)) {
    const at = [...path, name];
    const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
    if (!known) {
      checkUnknown(name, at, report);
      continue;
    }
    if (known.value.type === 'own') {
      report(
        name,
        'written-by-operator',
        'is written by the operator: take it out of the manifest, it would be taken for a record',
        at,
      );
      continue;
    }
    if (!place || !known.places.includes(place)) {
      report(
        name,
        'wrong-object',
        `has no effect ${whereIs(place, manifest)}: it belongs ${belongs(known.places)}`,
        at,
      );
      continue;
    }
    if (known.only && place === 'workload' && known.only !== manifest.kind) {
      report(name, 'wrong-kind', `is for ${known.only}s, and this is a ${manifest.kind}`, at);
      continue;
    }
    checkValue({ name, value, known: known.value, place, at }, manifest, corpus, report);
  }
  checkTemplateIsRead(map, place, manifest, report, path);
}

function whereIs(place: Place | undefined, { kind }: Manifest): string {
  return place === 'template' ? 'on a pod template' : `on a ${kind}`;
}

const BELONGS: Readonly<Record<Place, string>> = {
  workload: 'on a Deployment, StatefulSet, DaemonSet, CronJob, Job or Rollout',
  template: 'on a pod template',
  source: 'on a Secret or ConfigMap',
  namespace: 'on a Namespace',
  config: 'on a ReloaderConfig',
};

function belongs(places: readonly Place[]): string {
  const [first = 'workload'] = places.filter((place) => place !== 'template');
  return BELONGS[first];
}

/** Reports names in our domain that are unknown, and names similar to a known one. */
function checkUnknown(name: string, at: Path, report: Report): void {
  const close = nearest(name, Object.keys(KNOWN));
  if (isOurs(name, DEFAULT_ANNOTATIONS)) {
    report(
      name,
      'unknown-annotation',
      `is not known${close ? `: did you mean ${close}?` : ' and has no effect'}`,
      at,
    );
  } else if (close) {
    report(name, 'unknown-annotation', `looks like ${close} and is not: it has no effect`, at);
  }
}

const DECIDING = [
  DEFAULT_ANNOTATIONS.auto,
  DEFAULT_ANNOTATIONS.search,
  DEFAULT_ANNOTATIONS.configMapAuto,
  DEFAULT_ANNOTATIONS.secretAuto,
  DEFAULT_ANNOTATIONS.configMapReload,
  DEFAULT_ANNOTATIONS.secretReload,
];

/** If the workload itself has one of these, the operator does not read those on the template. */
function checkTemplateIsRead(
  map: Json,
  place: Place | undefined,
  manifest: Manifest,
  report: Report,
  path: Path,
): void {
  if (place !== 'template') return;
  const outer = metadataOf(manifest).annotations;
  const deciding = isJson(outer) ? DECIDING.find((name) => Object.hasOwn(outer, name)) : undefined;
  if (!deciding) return;
  for (const name of DECIDING) {
    if (Object.hasOwn(map, name)) {
      report(
        name,
        'template-not-read',
        `is not read here, because the ${manifest.kind} itself carries ${deciding}`,
        [...path, name],
      );
    }
  }
}
