/**
 * The windows that apply to a workload: of the operator's Namespace (the whole cluster), of its own Namespace, of its
 * ReloaderConfigs and of itself. They are kept by place, because every place must be open.
 */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Problem } from '../model/want.ts';
import type { WindowSet } from '../model/window.ts';
import type { World } from '../model/world.ts';
import { type ReadWindows, readRestartWindow, readWindowsText } from '../windows/read.ts';
import { configName } from './config-match.ts';
import { own } from './own.ts';
import type { WantSubject } from './want-subject.ts';

export interface WindowsOf {
  readonly windows: readonly WindowSet[];
  /** Each of these problems holds the workload's reloads. */
  readonly problems: readonly Problem[];
}

export function annotatedWindows(
  { workload, namespace }: Pick<WantSubject, 'workload' | 'namespace'>,
  world: Pick<World, 'namespace'>,
  { operatorNamespace }: Pick<ReloaderSettings, 'operatorNamespace'>,
): WindowsOf {
  const ofNamespace = (name: string) =>
    annotated(world.namespace(name)?.annotations ?? {}, `Namespace ${name}`);
  const places = [
    ofNamespace(operatorNamespace),
    ...(namespace === operatorNamespace ? [] : [ofNamespace(namespace)]),
    annotated(workload.annotations, 'the workload'),
  ];
  return {
    windows: places.flatMap(({ windows }) => windows),
    problems: places.flatMap(({ problems }) => problems),
  };
}

const NOTHING: WindowsOf = { windows: [], problems: [] };

export function windowsOfConfig(config: ConfigFacts): WindowsOf {
  const { windows, problems } = config;
  const where = `ReloaderConfig ${configName(config)}`;
  const bad = problems.filter(({ field }) => field.startsWith('spec.windows'));
  return {
    windows: windows.length > 0 ? [{ where: `windows of ${where}`, windows }] : [],
    problems: bad.map(({ field, message }) => invalid(field, `${field} of ${where} ${message}`)),
  };
}

const READERS: readonly (readonly [name: string, read: (text: string) => ReadWindows])[] = [
  [FIXED_ANNOTATIONS.syncWindows, readWindowsText],
  [FIXED_ANNOTATIONS.restartWindow, readRestartWindow],
];

function annotated(annotations: Readonly<Record<string, string>>, where: string): WindowsOf {
  let found = NOTHING;
  for (const [name, read] of READERS) {
    const text = own(annotations, name);
    if (text === undefined || text.trim() === '') continue;
    const { windows, problems } = remembered(name, text, read);
    const place = `annotation ${name} of ${where}`;
    found = {
      windows: windows.length > 0 ? [...found.windows, { where: place, windows }] : found.windows,
      problems: [
        ...found.problems,
        ...problems.map(({ path, message }) =>
          invalid(`${name}${path}`, `${place}${path && `: ${path}`} ${message}`),
        ),
      ],
    };
  }
  return found;
}

function invalid(field: string, message: string): Problem {
  return { field, reason: 'InvalidWindow', message };
}

/** Parsed texts, cached because a thousand workloads may share that of their Namespace. */
const read = new Map<string, ReadWindows>();
const MOST_READ = 500;

function remembered(name: string, text: string, reader: (text: string) => ReadWindows): ReadWindows {
  const key = `${name} ${text}`;
  let windows = read.get(key);
  if (!windows) {
    if (read.size >= MOST_READ) read.clear();
    windows = reader(text);
    read.set(key, windows);
  }
  return windows;
}
