/**
 * The content of an alert, before it is formatted for a channel. Names only: no message holds anything of a source's
 * content.
 */
import type { AlertEvent } from '../reloader/model/config.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';

/** One event of one workload. */
export interface AlertMessage {
  readonly event: AlertEvent;
  readonly workload: WorkloadRef;
  /** The sources that changed; empty for a reload that repeats one that another tool had undone. */
  readonly resources: readonly SourceRef[];
  /** `env-vars`, `annotations` or `restart`; undefined if it is not known. */
  readonly strategy: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The number of the failed reload that this one undid. */
  readonly undoes?: number | undefined;
  /** Set for a failure. */
  readonly error: string | undefined;
  /** Set for a deferral. */
  readonly deferral:
    | { readonly why: string; readonly message: string; readonly until: number | undefined }
    | undefined;
  /** ReloaderConfigs (`namespace/name`) that asked for the reload. */
  readonly configs: readonly string[];
}

/** One message to one receiver: at least one message, all of the same event. */
export interface Alert {
  readonly messages: readonly [AlertMessage, ...AlertMessage[]];
  readonly additionalInfo: string | undefined;
}

/** The body of the POST. */
export interface Body {
  readonly contentType: 'application/json' | 'text/plain';
  readonly text: string;
  /** Why the user's template could not be used: then this is the usual message. */
  readonly complaint?: string;
}

export type Format = (alert: Alert) => Body;
/** May be asynchronous, because a user's template is rendered for it. */
export type LateFormat = (alert: Alert) => Body | Promise<Body>;

export const json = (value: unknown): Body => ({
  contentType: 'application/json',
  text: JSON.stringify(value),
});

export const plainText = (text: string): Body => ({ contentType: 'text/plain', text });
