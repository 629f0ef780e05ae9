/**
 * What an alert says, before it takes the shape of a channel. Names only: no message holds anything of what a source
 * contains.
 */
import type { AlertEvent } from '../reloader/model/config.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';

/** One thing that happened to one workload. */
export interface AlertMessage {
  readonly event: AlertEvent;
  readonly workload: WorkloadRef;
  /** What had changed; empty for a reload that another tool had undone. */
  readonly resources: readonly SourceRef[];
  /** `env-vars`, `annotations` or `restart`; undefined where it is not known. */
  readonly strategy: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Of a reload that undid the one of this number, which had failed. */
  readonly undoes?: number | undefined;
  /** Of a failure. */
  readonly error: string | undefined;
  /** Of a deferral. */
  readonly deferral:
    | { readonly why: string; readonly message: string; readonly until: number | undefined }
    | undefined;
  /** ReloaderConfigs (`namespace/name`) that asked. */
  readonly configs: readonly string[];
}

/** One message to one receiver: at least one thing that happened, all of the same event. */
export interface Alert {
  readonly messages: readonly [AlertMessage, ...AlertMessage[]];
  readonly additionalInfo: string | undefined;
}

/** What is sent. */
export interface Body {
  readonly contentType: 'application/json' | 'text/plain';
  readonly text: string;
}

export type Format = (alert: Alert) => Body;
/** One that takes its time, because a template of a user is rendered for it. */
export type LateFormat = (alert: Alert) => Body | Promise<Body>;

export const json = (value: unknown): Body => ({
  contentType: 'application/json',
  text: JSON.stringify(value),
});

export const plainText = (text: string): Body => ({ contentType: 'text/plain', text });
