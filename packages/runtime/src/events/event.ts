/** An occurrence and its object, before it becomes an Event of one of the two APIs. */
import { apiVersionOf, type ResourceType } from '../client/resource.ts';
import type { KubernetesObject } from '../model/types.ts';

/** `Normal`, or `Warning` if a person should look. */
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
  /** CamelCase, the same word as the condition's reason. Cut at 128 characters. */
  readonly reason: string;
  /** A sentence for people. Cut at 1 024 bytes. */
  readonly message: string;
  /** The action taken or tried, CamelCase (events.k8s.io only). Default: the reason. */
  readonly action?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * A lasting state that every new process finds again: if an Event with this text exists on the object, from any
   * writer, nothing is written.
   */
  readonly standing?: boolean;
}

export const LONGEST_REASON = 128;
export const LONGEST_NOTE_BYTES = 1024;

/** A reference to an object for an Event, with its uid, so that a later object of the same name does not inherit it. */
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

/** Truncates fields that the API server would refuse: a short Event is better than none. */
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
