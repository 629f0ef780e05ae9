import type { BehaviourCase } from '../case.ts';
import { crdCases } from './crds.ts';
import { deleteCases } from './deletes.ts';
import { discoveryCases } from './discovery.ts';
import { errorCases } from './errors.ts';
import { listCases } from './lists.ts';
import { outputCases } from './outputs.ts';
import { patchCases } from './patches.ts';
import { subresourceCases } from './subresources.ts';
import { watchCases } from './watches.ts';
import { writeCases } from './writes.ts';

export interface CaseGroup {
  readonly title: string;
  readonly cases: readonly BehaviourCase[];
}

/** One file per group; a new behaviour is one more entry in its file. */
export const allCases: readonly CaseGroup[] = [
  { title: 'writes', cases: writeCases },
  { title: 'patches', cases: patchCases },
  { title: 'deletes', cases: deleteCases },
  { title: 'lists', cases: listCases },
  { title: 'watches', cases: watchCases },
  { title: 'outputs', cases: outputCases },
  { title: 'subresources', cases: subresourceCases },
  { title: 'custom resources', cases: crdCases },
  { title: 'discovery', cases: discoveryCases },
  { title: 'errors', cases: errorCases },
];
