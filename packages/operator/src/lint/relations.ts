/** Checks annotations of one workload in combination, against the sources that its pods use and the other manifests. */
import { parseGoBool } from '../go/bool.ts';
import { DEFAULT_ANNOTATIONS as names } from '../reloader/model/annotations.ts';
import type { SourceKind } from '../reloader/model/source.ts';
import { namedList } from '../reloader/want/named-list.ts';
import { annotationsFor } from '../reloader/want/opt-in.ts';
import { parseNames } from '../reloader/want/own.ts';
import {
  type Corpus,
  type LintedSource,
  type LintedWorkload,
  templatePath,
  usedBy,
  workloadKindOf,
} from './corpus.ts';
import type { Report } from './finding.ts';

const KINDS: readonly SourceKind[] = ['ConfigMap', 'Secret', 'SecretProviderClass'];

export function checkWorkload(workload: LintedWorkload, corpus: Corpus, report: Report): void {
  const said = annotationsThatCount(workload);
  const { annotations } = workload.facts;
  const opted = [
    names.auto,
    names.secretAuto,
    names.configMapAuto,
    names.search,
    names.secretReload,
    names.configMapReload,
  ];
  const say = (field: string, rule: string, message: string): void =>
    report(field, rule, message, pathOf(workload, field));
  if (annotations[names.ignore] === 'true') {
    const other = opted.find((name) => said[name] !== undefined);
    if (other) say(names.ignore, 'contradiction', `turns off everything, so ${other} has no effect`);
    return;
  }
  checkUse(workload, said, say);
  checkExcluded(workload, said, say);
  checkSearch(workload, said, corpus, say);
}

type Said = Readonly<Record<string, string>>;
type Say = (field: string, rule: string, message: string) => void;

/** If the workload has any of these annotations, those of the template are not read. */
function annotationsThatCount({ facts }: LintedWorkload): Said {
  const deciding = [
    names.auto,
    names.search,
    ...KINDS.flatMap((kind) => [annotationsFor(kind, names).auto, annotationsFor(kind, names).reload]),
  ];
  const outer = deciding.some((name) => Object.hasOwn(facts.annotations, name));
  return outer ? facts.annotations : facts.templateAnnotations;
}

function pathOf({ manifest, facts }: LintedWorkload, field: string): readonly string[] {
  const kind = workloadKindOf(manifest);
  const outer = Object.hasOwn(facts.annotations, field) || !kind;
  return [...(outer ? [] : templatePath(kind)), 'metadata', 'annotations', field];
}

function checkUse({ facts }: LintedWorkload, said: Said, say: Say): void {
  if (facts.pod.containers.length === 0) return;
  const used = usedBy(facts.pod);
  if (parseGoBool(said[names.auto] ?? '') && used.length === 0) {
    say(
      names.auto,
      'nothing-to-watch',
      'asks for all that the pods use, and they use no ConfigMap and no Secret: name them in a list',
    );
  }
  for (const kind of KINDS) {
    const { auto } = annotationsFor(kind, names);
    if (parseGoBool(said[auto] ?? '') && used.every((source) => source.kind !== kind)) {
      say(auto, 'nothing-to-watch', `asks for all ${kind}s that the pods use, and they use none`);
    }
  }
}

function checkExcluded({ facts }: LintedWorkload, said: Said, say: Say): void {
  for (const kind of KINDS) {
    const { reload, exclude } = annotationsFor(kind, names);
    const excluded = parseNames(facts.annotations[exclude]);
    const list = namedList(said[reload] ?? '');
    for (const name of excluded) {
      if (list.names.includes(name))
        say(exclude, 'contradiction', `leaves out ${name}, which ${reload} names: it does not reload`);
    }
    if (excluded.size > 0 && KINDS.every((each) => !isAsked(each, said))) {
      say(
        exclude,
        'nothing-to-exclude',
        'leaves something out, and nothing asks for anything: it works together with auto, search or a list',
      );
    }
  }
}

function isAsked(kind: SourceKind, said: Said): boolean {
  const { auto, reload } = annotationsFor(kind, names);
  return [names.auto, names.search, auto, reload].some((name) => said[name] !== undefined);
}

/** Checked only if the files have every source that the pods use. */
function checkSearch({ manifest, facts }: LintedWorkload, said: Said, corpus: Corpus, say: Say): void {
  if (said[names.search] !== 'true') return;
  const used = usedBy(facts.pod).filter(({ kind }) => kind !== 'SecretProviderClass');
  if (facts.pod.containers.length > 0 && used.length === 0) {
    say(
      names.search,
      'nothing-to-watch',
      `looks for ${names.match} on what the pods use, and they use no ConfigMap and no Secret`,
    );
    return;
  }
  const sources = used.map(({ kind, name }) => corpus.source(manifest.namespace, kind, name));
  const known = sources.filter((source) => source !== undefined);
  if (used.length === 0 || known.length < used.length) return;
  if (known.every(({ annotations }) => annotations[names.match] !== 'true')) {
    say(
      names.search,
      'matches-nothing',
      `looks for ${names.match}: "true" on what the pods use, and none of that carries it`,
    );
  }
}

/** A source with the `match` annotation, used only by workloads that opt in to nothing. */
export function checkSource(
  { manifest, kind, annotations }: LintedSource,
  corpus: Corpus,
  report: Report,
): void {
  if (annotations[names.match] !== 'true') return;
  const users = corpus
    .workloadsIn(manifest.namespace)
    .filter(({ facts }) =>
      usedBy(facts.pod).some((used) => used.kind === kind && used.name === manifest.name),
    );
  const anyhow = (workload: LintedWorkload): boolean =>
    KINDS.some((each) => isAsked(each, annotationsThatCount(workload)));
  if (users.length === 0 || users.some(anyhow)) return;
  const [first] = users;
  report(
    names.match,
    'nobody-searches',
    `waits for workloads with ${names.search}: "true", and ${first?.manifest.kind} ${first?.manifest.name} uses it without that`,
    ['metadata', 'annotations', names.match],
  );
}
