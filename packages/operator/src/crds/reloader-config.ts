/**
 * The ReloaderConfig definition as data. `crd/reloaderconfig_crd.yaml` is generated from it, and a test compares the
 * two.
 *
 * It accepts both formats of the earlier operator, and adds `settle`, `batchWindow`, `pausePeriod` in the spec and Jobs
 * as targets.
 */
import { defineKind, type PrinterColumn, Type } from '@reloader/runtime/kind';
import { ReloaderConfigs } from './reloader-config/resource.ts';
import { spec } from './reloader-config/spec.ts';
import { status } from './reloader-config/status.ts';

export type * from './reloader-config/object.ts';
export { ReloaderConfigs } from './reloader-config/resource.ts';

const conditionColumn = (type: string, field: string): string =>
  `.status.conditions[?(@.type=="${type}")].${field}`;

/** Columns of `kubectl get rlc`; those with priority 1 only with `-o wide`. */
const columns: readonly PrinterColumn[] = [
  {
    name: 'Strategy',
    type: 'string',
    jsonPath: '.status.strategy',
    description: 'How targets are reloaded, by config, target, annotation or flag',
  },
  { name: 'Targets', type: 'string', jsonPath: '.status.targetsFound', description: 'Found of all targets' },
  { name: 'Reloads', type: 'integer', jsonPath: '.status.reloadCount' },
  { name: 'Last Reload', type: 'date', jsonPath: '.status.lastReloadTime' },
  {
    name: 'Pending',
    type: 'string',
    jsonPath: '.status.pending',
    description: 'Targets that wait with a change, and why',
  },
  { name: 'Ready', type: 'string', jsonPath: conditionColumn('Ready', 'status') },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  { name: 'Reason', type: 'string', jsonPath: conditionColumn('Ready', 'reason'), priority: 1 },
  { name: 'Message', type: 'string', jsonPath: conditionColumn('Ready', 'message'), priority: 1 },
];

export const ReloaderConfigKind = defineKind({
  ...ReloaderConfigs,
  // `rc` is also the short name of ReplicationControllers, which kubectl prefers: use `rlc`.
  shortNames: ['rlc', 'rc'],
  description: 'Reloads workloads when Secrets and ConfigMaps change, without annotations on the workloads.',
  spec,
  standardStatus: false,
  ...(status.description !== undefined && { statusDescription: status.description }),
  status: Object.fromEntries(
    Object.entries(status.properties ?? {}).map(([name, field]) => [name, Type.Optional(field)]),
  ),
  columns,
});

export const reloaderConfigCrd = ReloaderConfigKind.crd();
