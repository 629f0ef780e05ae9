/**
 * Events as the two APIs want them. Both end up in the same store; core/v1 fills the timestamps and the count
 * by which `kubectl get events --sort-by=.lastTimestamp` sorts, events.k8s.io/v1 keeps a series instead.
 */
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject } from '../model/types.ts';
import { microTime, timestamp } from '../objects/time.ts';
import type { Series } from './correlator.ts';

/** The reporter of an Event. */
export interface EventSource {
  /** The controller's name. */
  readonly component: string;
  /** This process, usually the pod's name. */
  readonly instance: string;
}

/** Which of the two APIs of Events is written to. */
export interface EventFormat {
  readonly type: ResourceType;
  create(
    series: Series,
    metadata: NonNullable<KubernetesObject['metadata']>,
    source: EventSource,
  ): KubernetesObject;
  /** A merge patch for an Event that was created earlier. */
  update(series: Series): object;
}

/** core/v1 */
export const coreEvents: EventFormat = {
  type: { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
  create: ({ event, count, first, last }, metadata, source) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject: event.regarding,
    type: event.type,
    reason: event.reason,
    message: event.message,
    source: { component: source.component },
    reportingComponent: source.component,
    reportingInstance: source.instance,
    firstTimestamp: timestamp(first),
    lastTimestamp: timestamp(last),
    count,
  }),
  update: ({ event, count, last }) => ({ message: event.message, count, lastTimestamp: timestamp(last) }),
};

/** events.k8s.io/v1. The note of a series stays that of its first Event: the API allows no change. */
export const seriesEvents: EventFormat = {
  type: { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
  create: (series, metadata, source) => ({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata,
    regarding: series.event.regarding,
    type: series.event.type,
    reason: series.event.reason,
    note: series.event.message,
    action: series.event.action,
    reportingController: source.component,
    reportingInstance: source.instance,
    eventTime: microTime(series.first),
    ...(series.count > 1 && seriesOf(series)),
  }),
  update: seriesOf,
};

function seriesOf({ count, last }: Series): object {
  return { series: { count, lastObservedTime: microTime(last) } };
}
