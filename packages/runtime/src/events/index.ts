export {
  type EventType,
  type ObjectReference,
  type RecordedEvent,
  referenceTo,
} from './event.ts';
export { coreEvents, type EventFormat, type EventSource, seriesEvents } from './format.ts';
export {
  createEventRecorder,
  type EventExtra,
  type EventRecorder,
  type EventRecorderOptions,
  type EventWriter,
} from './recorder.ts';
