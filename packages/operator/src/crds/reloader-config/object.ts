/** A ReloaderConfig as the API server returns it. The type is derived from the schema, which is not loaded for it. */
import type { KubernetesObject } from '@reloader/runtime';
import type { ValueOf } from '../json-schema.ts';
import type { spec } from './spec.ts';
import type { status } from './status.ts';

export interface ReloaderConfigObject extends KubernetesObject {
  spec?: ReloaderConfigSpec;
  status?: ReloaderConfigStatus;
}

export type ReloaderConfigSpec = ValueOf<typeof spec>;
export type ReloaderConfigStatus = ValueOf<typeof status>;
export type ReloaderConfigTarget = NonNullable<ReloaderConfigSpec['targets']>[number];
export type ReloaderConfigTargetStatus = NonNullable<ReloaderConfigStatus['targetStatus']>[number];
export type TargetKind = ReloaderConfigTarget['kind'];
export type ReloadWindow = NonNullable<ReloaderConfigSpec['windows']>[number];
/** Requirements on the content of a watched source before it is rolled out. */
export type ContentCheck = NonNullable<ReloaderConfigSpec['validate']>[number];
export type AlertChannel = NonNullable<NonNullable<ReloaderConfigSpec['alerts']>['slack']>;
/** How to reload: in the spec for all targets, in a target for that one. */
export type ReloadManner = Omit<ReloaderConfigTarget, 'kind' | 'name' | 'namespace' | 'requireReference'>;
