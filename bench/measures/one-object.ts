/**
 * How long one object can block the event loop, however large or hostile it is: each object costs as much as the API
 * server and our definitions allow. Work done in pieces counts by its longest piece.
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { projectConfig } from '../../packages/operator/src/podconfig/project.ts';
import {
  configMapFacts,
  secretFacts,
} from '../../packages/operator/src/reloader/digest/source-projection.ts';
import { parseLedger } from '../../packages/operator/src/reloader/ledger/ledger.ts';
import { DEFAULT_ANNOTATIONS } from '../../packages/operator/src/reloader/model/annotations.ts';
import { configFacts } from '../../packages/operator/src/reloader/project/config-projection.ts';
import { workloadFacts } from '../../packages/operator/src/reloader/project/workload-projection.ts';
import { fakeView } from '../../packages/operator/src/reloader/report/report.test.support.ts';
import { computeStatus } from '../../packages/operator/src/reloader/report/status/compute.ts';
import { parseNamedList } from '../../packages/operator/src/reloader/want/named-list.ts';
import { wantOf } from '../../packages/operator/src/reloader/want/want.ts';
import {
  defaultSettings,
  fakeWorld,
  namespaceFacts,
} from '../../packages/operator/src/reloader/want/world.test.support.ts';
import { HOSTILE_PATTERNS } from '../../test/hostile/hostile-patterns.ts';
import { type Measure, ms, type Row } from '../measure.ts';

const LONGEST_MS = 20;
/** Limit for work that is proportional to the bytes, as a multiple of the floor. */
const MOST_TIMES = 10;
const ROUNDS = 9;
const MEGABYTE = 1024 * 1024;
/** Limit of the API server for all annotations of an object together. */
const MOST_ANNOTATIONS = 256 * 1024;
const DOMAIN = 'reloader.stakater.com';
const names = DEFAULT_ANNOTATIONS;
const key = Buffer.alloc(32, 1);
const previousKey = Buffer.alloc(32, 2);
const settings = defaultSettings();

const metadata = (more: object = {}) => ({
  ...{ name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', generation: 1 },
  ...{ creationTimestamp: '2030-01-01T00:00:00Z' },
  ...more,
});

/** The text that the API server sends, and the work done with it, at once or in pieces. */
interface Subject {
  readonly what: string;
  /** As large as the API server accepts: reading its bytes alone takes longer than the limit of the others. */
  readonly isLarge?: true;
  text(round: number): string;
  work(text: string): Iterable<unknown> | undefined;
}

const parsed = (text: string) => JSON.parse(text);

const lookAt = (text: string): undefined => {
  const facts = workloadFacts(parsed(text), 'Deployment', names);
  wantOf(facts, fakeWorld({ workloads: [facts], namespaces: [namespaceFacts()] }), settings);
};
const deployment = (annotations: object, spec: object = {}): string =>
  JSON.stringify({ kind: 'Deployment', metadata: metadata({ annotations }), spec: { template: { spec } } });

const SUBJECTS: readonly Subject[] = [
  {
    what: 'Secret of 1 MB in one key',
    isLarge: true,
    text: () =>
      JSON.stringify({ metadata: metadata(), data: { a: Buffer.alloc(MEGABYTE, 'x').toString('base64') } }),
    work: (text) => void secretFacts(parsed(text), { names, key, previousKey }),
  },
  {
    what: 'Secret of 1 MB in 20,000 keys',
    isLarge: true,
    text: () =>
      JSON.stringify({
        metadata: metadata(),
        data: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, 'eHh4eHh4'])),
      }),
    work: (text) => void secretFacts(parsed(text), { names, key, previousKey }),
  },
  {
    what: 'ConfigMap of 1 MB',
    isLarge: true,
    text: () => JSON.stringify({ metadata: metadata(), data: { a: 'ä'.repeat(MEGABYTE / 2) } }),
    work: (text) => void configMapFacts(parsed(text), { names, key: undefined }),
  },
  {
    what: 'Deployment with a list of 40,000 names',
    text: (round) =>
      deployment({
        [names.secretReload]: Array.from({ length: 40_000 }, (_, index) => `s${index + round}`).join(','),
      }),
    work: lookAt,
  },
  {
    what: 'Deployment with 5,000 unknown annotations',
    text: (round) =>
      deployment(
        Object.fromEntries(
          Array.from({ length: 5_000 }, (_, index) => [
            `${DOMAIN}/auto-${index}-${round}-${'x'.repeat(10)}`,
            'true',
          ]),
        ),
      ),
    work: lookAt,
  },
  {
    what: 'Deployment with 10,000 references',
    isLarge: true,
    text: () =>
      deployment(
        { [names.auto]: 'true' },
        {
          containers: [
            {
              name: 'web',
              env: Array.from({ length: 10_000 }, (_, index) => ({
                name: `E${index}`,
                valueFrom: { secretKeyRef: { name: `s${index}`, key: 'k' } },
              })),
            },
          ],
        },
      ),
    work: lookAt,
  },
  {
    what: `Deployment with ${HOSTILE_PATTERNS.length} hostile expressions, longest piece`,
    text: (round) => `${HOSTILE_PATTERNS.join(',')},r${round}`,
    *work(text) {
      const list = parseNamedList(text);
      yield;
      const long = Array.from({ length: 60 }, (_, index) => `${'ab'.repeat(120)}${index}`);
      yield* list.learn(long);
    },
  },
  {
    what: 'ledger of 256 KB',
    text: () => `{"v":1,"recent":${'['.repeat(MOST_ANNOTATIONS)}`,
    work: (text) => void parseLedger(text),
  },
  {
    what: 'ReloaderConfig with 500 targets and 1,000 sources',
    text: () =>
      JSON.stringify({
        metadata: metadata(),
        spec: {
          watchedResources: {
            secrets: Array.from({ length: 1_000 }, (_, index) => `s-${index}`),
            configMaps: Array.from({ length: 1_000 }, (_, index) => `c-${index}`),
          },
          targets: Array.from({ length: 500 }, (_, index) => ({ kind: 'Deployment', name: `w-${index}` })),
        },
      }),
    work(text): undefined {
      const config = configFacts(parsed(text), names);
      computeStatus({
        ...{ alertFailures: [], config, before: {}, view: fakeView(), settings, made: [] },
        world: { ...fakeWorld({ namespaces: [namespaceFacts()] }), configsFor: () => [config] },
        now: 0,
        isRolling: () => false,
      });
    },
  },
  {
    what: 'PodConfigMapConfig with as many templates as its definition lets through',
    text: () =>
      JSON.stringify({
        metadata: metadata(),
        spec: {
          configMapDataTemplate: Object.fromEntries(
            Array.from({ length: 128 }, (_, index) => [`t${index}`, '{{ .metadata.name }}'.repeat(400)]),
          ),
        },
      }),
    work: (text) => void projectConfig(parsed(text)),
  },
];

export const oneObject: Measure = {
  name: 'one-object',
  title: 'The event loop and one object',
  how: 'From the bytes of the largest or most hostile objects to everything that is done with them at once, or to the longest of the pieces in which it is done. Beside it, JSON.parse and SHA-256 of the same bytes.',
  async run(): Promise<Row[]> {
    return SUBJECTS.map(({ what, isLarge, text, work }) => {
      const floors: number[] = [];
      const ours: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const given = text(round);
        floors.push(timed(() => floorOf(given)));
        ours.push(longestPiece(() => work(given)));
      }
      // The shortest of several rounds: other load on the machine only makes a round longer.
      const [longest, floor] = [Math.min(...ours), Math.min(...floors)];
      const most = isLarge ? MOST_TIMES * floor : LONGEST_MS;
      const target = isLarge ? `at most ${MOST_TIMES} times` : `at most ${LONGEST_MS} ms`;
      return { what, ours: ms(longest), floor: ms(floor), target, met: longest <= most };
    });
  },
};

function floorOf(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    // Some hostile texts are not JSON.
  }
  createHash('sha256').update(text).digest();
}

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function longestPiece(work: () => Iterable<unknown> | undefined): number {
  let pieces: Iterator<unknown> | undefined;
  let longest = timed(() => {
    pieces = work()?.[Symbol.iterator]();
  });
  for (let isOver = pieces === undefined; !isOver; ) {
    longest = Math.max(
      longest,
      timed(() => {
        isOver = pieces?.next().done ?? true;
      }),
    );
  }
  return longest;
}
