/** Defects of the earlier ReloaderConfig operator, none of which may return. */
import type { Chapter, Requirement } from './requirement.ts';

const SCENARIOS = 'test/reloader/scenarios';

const DEFECTS: readonly Requirement[] = [
  { id: 'defect 1', asks: 'Objects of different kinds with one name were taken for each other.' },
  {
    id: 'defect 2',
    asks: 'A new source reloaded although reload-on-create was off.',
    tests: [`${SCENARIOS}/sources.ts`],
  },
  {
    id: 'defect 3',
    asks: 'An installation could reload everything, or a downtime hide a change.',
    tests: [`${SCENARIOS}/sources.ts`],
  },
  { id: 'defect 4', asks: 'A reload that failed was not tried again.', tests: [`${SCENARIOS}/status.ts`] },
  { id: 'defect 5', asks: 'Changes during a pause were lost.', tests: [`${SCENARIOS}/deferral.ts`] },
  { id: 'defect 6', asks: 'A conflict with another writer of the source made a second reload.' },
  {
    id: 'defect 7',
    asks: 'Two quick changes both passed a pause, and restarts of annotated workloads had none.',
  },
  {
    id: 'defect 8',
    asks: '`autoReloadAll` reloaded every target when one referred to the source.',
    tests: [`${SCENARIOS}/configs.ts`],
  },
  { id: 'defect 9', asks: 'A workload that was asked for twice was reloaded twice.' },
  { id: 'defect 10', asks: 'Flags for strategies had no effect.', tests: [`${SCENARIOS}/configs.ts`] },
  { id: 'defect 11', asks: 'A restart did not read matchExpressions, and could delete pods of others.' },
  { id: 'defect 12', asks: 'Sources whose names give one variable were taken for one.' },
  { id: 'defect 13', asks: 'Entries that had left the spec stayed in the status.' },
  { id: 'defect 14', asks: 'Conditions flapped with every pass.', tests: [`${SCENARIOS}/status.ts`] },
  { id: 'defect 15', asks: 'Counts grew without a reload.' },
  {
    id: 'defect 16',
    asks: 'Annotations of a deleted source were not known any more.',
    tests: [`${SCENARIOS}/sources.ts`],
  },
  { id: 'defect 17', asks: 'The operator wrote to every source, and a replaced one was reloaded again.' },
  {
    id: 'defect 18',
    asks: 'A namespace that changed its labels was not looked at again.',
    tests: [`${SCENARIOS}/status.ts`],
  },
  {
    id: 'defect 19',
    asks: 'A config could restart workloads of any namespace.',
    tests: [`${SCENARIOS}/configs.ts`],
  },
  { id: 'defect 20', asks: 'One slow reload or alert delayed all others.' },
  {
    id: 'defect 21',
    asks: 'Secrets were kept in memory with their values.',
    tests: [`${SCENARIOS}/canary.ts`],
  },
];

export const EARLIER_DEFECTS: readonly Chapter[] = [
  {
    title: 'Defects of the earlier operator',
    about: 'Each was found in the ReloaderConfig operator before this one. Cited as `defect N`.',
    requirements: DEFECTS,
  },
];
