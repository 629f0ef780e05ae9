/** What happened to which object, before it becomes an Event of one API or the other. */
import { apiVersionOf, type ResourceType } from '../client/resource.ts';
import type { KubernetesObject } from '../model/types.ts';

/** `Normal`, or `Warning` for what somebody should look at. */
export type EventType = 'Normal' | 'Warning';

/** core/v1 ObjectReference */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** An Event on its way to the server. */
export interface RecordedEvent {
  readonly regarding: ObjectReference;
  readonly type: EventType;
  /** CamelCase, the same word as in the condition that tells of it. Cut at 128 characters. */
  readonly reason: string;
  /** A sentence for people. Cut at 1 024 bytes. */
  readonly message: string;
  /** What was done or tried, CamelCase (events.k8s.io only). Default: the reason. */
  readonly action?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Something that stays as it is, however often a process starts and finds it: while an Event with these words stands on
   * the object, whoever wrote it, nothing is written.
   */
  readonly standing?: boolean;
}

export const LONGEST_REASON = 128;
export const LONGEST_NOTE_BYTES = 1024;

/** Names an object in an Event, uid included, so that a later object of the same name does not inherit it. */
export function referenceTo<T extends KubernetesObject>(type: ResourceType<T>, object: T): ObjectReference {
  const { name = '', namespace, uid, resourceVersion } = object.metadata ?? {};
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}

/** Cuts what the API server would refuse: better a short Event than none. */
export function withinLimits(event: RecordedEvent): RecordedEvent {
  const { reason, action = event.reason } = event;
  return {
    ...event,
    reason: reason.slice(0, LONGEST_REASON),
    action: action.slice(0, LONGEST_REASON),
    message: cutBytes(event.message, LONGEST_NOTE_BYTES),
  };
}

function cutBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  const mark = '...';
  let end = limit - mark.length;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + mark;
}
