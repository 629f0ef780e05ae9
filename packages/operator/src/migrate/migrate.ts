/**
 * Converts the annotations of a workload to a ReloaderConfig that makes the same decisions.
 *
 * In: a workload as the operator sees it, and the operator's settings. Out: the config, the annotations that it
 * replaces, and notes about it; or the reason why the annotations have to stay, because no config is equivalent. Pure.
 */
import { parseGoBool } from '../go/bool.ts';
import { parseGoDuration } from '../go/duration.ts';
import { FIXED_ANNOTATIONS, pausePeriodOf } from '../reloader/model/annotations.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { SourceKind } from '../reloader/model/source.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import { containerUsing } from '../reloader/want/container.ts';
import { kindFilter } from '../reloader/want/kind-filter.ts';
import { type NamedList, namedList } from '../reloader/want/named-list.ts';
import { annotationsFor } from '../reloader/want/opt-in.ts';
import { parseNames } from '../reloader/want/own.ts';
import { referencedBy } from '../reloader/want/references.ts';

export interface Migrated {
  /** A ReloaderConfig. */
  readonly config: object;
  /** Annotations that it replaces, and the place where they are. */
  readonly replaces: readonly string[];
  readonly from: 'workload' | 'template';
  readonly notes: readonly string[];
}

export type Migration =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'migrated'; readonly migrated: Migrated }
  | { readonly kind: 'stays'; readonly because: string };

export type MigrationSettings = Pick<ReloaderSettings, 'names' | 'cronJobStrategy'>;

type Texts = Readonly<Record<string, string>>;

const SETTLE_MOST_MS = 3_600_000;
const BATCH_MOST_MS = 86_400_000;

export function migrate(workload: WorkloadFacts, settings: MigrationSettings): Migration {
  const asked = askedBy(workload, settings);
  if (!asked) return { kind: 'nothing' };
  const because = whyNot(workload, asked, settings);
  if (because !== undefined) return { kind: 'stays', because };
  const { place, from, auto, lists } = asked;
  const watched = watchedBy(workload, asked);
  const names = watched.secrets.length + watched.configMaps.length;
  if (!auto && names === 0) return { kind: 'nothing' };
  const replaces = optInNames(settings).filter((name) => Object.hasOwn(place, name));
  const { kind, metadata } = workload;
  const spec = {
    ...(names > 0 && {
      watchedResources: {
        ...(watched.secrets.length > 0 && { secrets: watched.secrets }),
        ...(watched.configMaps.length > 0 && { configMaps: watched.configMaps }),
      },
    }),
    targets: [{ kind, name: metadata.name }],
    ...(auto && { autoReloadAll: true }),
    ...ignored(workload, asked, settings),
    ...timing(workload),
  };
  const listed = lists.Secret.names.length + lists.ConfigMap.names.length;
  const notes =
    !auto && names > listed
      ? ['names what the pods use now: write it again when the template uses something else']
      : [];
  const config = {
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: {
      name: `${kind.toLowerCase()}-${metadata.name}`.slice(0, 253),
      ...(metadata.namespace !== '' && { namespace: metadata.namespace }),
    },
    spec,
  };
  return { kind: 'migrated', migrated: { config, replaces, from, notes } };
}

interface Asked {
  readonly place: Texts;
  readonly from: 'workload' | 'template';
  /** All sources that the pods use, of every kind. */
  readonly auto: boolean;
  /** All sources of these kinds that the pods use. */
  readonly kinds: readonly SourceKind[];
  readonly lists: Readonly<Record<SourceKind, NamedList>>;
  readonly searches: boolean;
}

const KINDS: readonly SourceKind[] = ['ConfigMap', 'Secret', 'SecretProviderClass'];

function optInNames({ names }: MigrationSettings): string[] {
  return [
    names.auto,
    names.search,
    ...KINDS.flatMap((kind) => [annotationsFor(kind, names).reload, annotationsFor(kind, names).auto]),
  ];
}

/**
 * Undefined if the annotations ask for nothing. For each kind the place is decided by the presence of its own four
 * annotations; `whyNot` handles a workload that mixes places for different kinds.
 */
function askedBy(
  { annotations, templateAnnotations }: WorkloadFacts,
  settings: MigrationSettings,
): Asked | undefined {
  const { names } = settings;
  if (annotations[names.ignore] === 'true') return undefined;
  const all = optInNames(settings);
  const onWorkload = all.some((name) => Object.hasOwn(annotations, name));
  const from = onWorkload ? 'workload' : 'template';
  const place = onWorkload ? annotations : templateAnnotations;
  if (!all.some((name) => Object.hasOwn(place, name))) return undefined;
  const said = (name: string): string => place[name] ?? '';
  const filter = kindFilter([annotations, place], names);
  const everything = parseGoBool(said(names.auto)) === true;
  const kinds = KINDS.filter(
    (kind) =>
      (everything || parseGoBool(said(annotationsFor(kind, names).auto)) === true) && filter.allows(kind),
  );
  const lists = Object.fromEntries(
    KINDS.map((kind) => [kind, namedList(said(annotationsFor(kind, names).reload))]),
  ) as unknown as Asked['lists'];
  const searches = said(names.search) === 'true';
  const listed = KINDS.some((kind) => lists[kind].names.length > 0 || lists[kind].hasPatterns);
  if (kinds.length === 0 && !listed && !searches) return undefined;
  return { place, from, auto: everything && kinds.length === KINDS.length, kinds, lists, searches };
}

function whyNot(
  { kind, annotations, templateAnnotations }: WorkloadFacts,
  { place, lists, searches, from, kinds, auto }: Asked,
  settings: MigrationSettings,
): string | undefined {
  if (kind === 'Job')
    return 'a Job that has finished runs again for its annotations, and not for a ReloaderConfig';
  if (kind === 'CronJob' && settings.cronJobStrategy !== 'run') {
    return 'its annotations run a Job at once, a ReloaderConfig leaves the change to the next run unless the operator has --cronjob-strategy=run';
  }
  if (searches)
    return `a ReloaderConfig cannot choose sources by their annotations (${settings.names.search})`;
  for (const each of KINDS) {
    const { reload } = annotationsFor(each, settings.names);
    if (hasExpressions(place[reload] ?? '', lists[each]))
      return `a ReloaderConfig cannot choose sources by expressions (${reload})`;
  }
  if (lists.SecretProviderClass.names.length > 0 || (kinds.includes('SecretProviderClass') && !auto)) {
    return 'a ReloaderConfig cannot name SecretProviderClasses';
  }
  const mixed = optInNames(settings).some((name) => Object.hasOwn(templateAnnotations, name));
  if (
    from === 'workload' &&
    mixed &&
    !Object.hasOwn(annotations, settings.names.auto) &&
    !Object.hasOwn(annotations, settings.names.search)
  ) {
    return 'its annotations stand on the workload and on the pod template';
  }
  return undefined;
}

/** A name counts as a name, even if its dots could match other characters. An invalid item matches nothing. */
function hasExpressions(text: string, { names, problems }: NamedList): boolean {
  const items = text.split(',').map((item) => item.trim());
  const isPlain = (item: string): boolean => /^[A-Za-z0-9_-]*$/.test(item) || names.includes(item);
  return items.some((item) => !isPlain(item) && !problems.some((problem) => problem.item === item));
}

function watchedBy(
  { pod }: WorkloadFacts,
  { auto, kinds, lists }: Asked,
): { secrets: string[]; configMaps: string[] } {
  const used = referencedBy(pod).filter((source) => containerUsing(pod, source) !== undefined);
  const of = (kind: 'Secret' | 'ConfigMap'): string[] => {
    const all = new Set(lists[kind].names);
    if (!auto && kinds.includes(kind))
      for (const source of used) if (source.kind === kind) all.add(source.name);
    return [...all].sort();
  };
  return { secrets: of('Secret'), configMaps: of('ConfigMap') };
}

/** The sources that the annotations leave out: excluded by name, or in a volume that no container mounts. */
function ignored(
  { pod, annotations }: WorkloadFacts,
  { auto, lists }: Asked,
  { names }: MigrationSettings,
): { ignoreResources?: readonly { kind: 'Secret' | 'ConfigMap'; name: string }[] } {
  const found: { kind: 'Secret' | 'ConfigMap'; name: string }[] = [];
  for (const kind of ['ConfigMap', 'Secret'] as const) {
    const out = new Set(parseNames(annotations[annotationsFor(kind, names).exclude]));
    const unused = referencedBy(pod).filter(
      (source) => source.kind === kind && containerUsing(pod, source) === undefined,
    );
    if (auto) for (const { name } of unused) if (!lists[kind].names.includes(name)) out.add(name);
    for (const name of [...out].sort()) found.push({ kind, name });
  }
  return found.length > 0 ? { ignoreResources: found } : {};
}

/** Only the settings that a config has; the other annotations stay and apply where the config is silent. */
function timing({ annotations, kind }: WorkloadFacts): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const take = (field: string, name: string, most: number): void => {
    const text = annotations[name] ?? '';
    const ms = milliseconds(text);
    if (ms !== undefined && ms >= 0 && ms <= most && /^[0-9.a-zµ]+$/.test(text) && text !== '0')
      found[field] = text;
  };
  take('settle', FIXED_ANNOTATIONS.settle, SETTLE_MOST_MS);
  take('batchWindow', FIXED_ANNOTATIONS.batchWindow, BATCH_MOST_MS);
  if (kind !== 'Deployment') take('pausePeriod', pausePeriodOf(kind), Number.POSITIVE_INFINITY);
  const strategy = annotations[FIXED_ANNOTATIONS.rolloutStrategy];
  if (strategy === 'rollout' || strategy === 'restart') found.rolloutStrategy = strategy;
  return found;
}

function milliseconds(text: string): number | undefined {
  try {
    return parseGoDuration(text);
  } catch {
    return undefined;
  }
}
