/**
 * Events: stored in the core form, and also served as events.k8s.io/v1, in which some fields have other names. The
 * conversion is lossless.
 */
import type { KubeObject } from '../../../model/object.ts';
import { describeAge } from '../../age.ts';
import { dig, type Fields, isAbsent, isRecord, same, text } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../meta/validate.ts';
import { column, wide } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { dnsSubdomain, qualifiedName } from '../../validate/names.ts';
import { define, notSupported, textAt } from '../define.ts';

const component = (event: KubeObject): string =>
  textAt('source', 'component')(event) || textAt('reportingComponent')(event);

const involved = (fields: readonly string[], prefix: string): Record<string, (event: KubeObject) => string> =>
  Object.fromEntries(fields.map((field) => [`${prefix}.${field}`, textAt(prefix, field)]));

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const firstSeen = (event: KubeObject): string => text(event.firstTimestamp) || text(event.eventTime);

function lastSeen(event: KubeObject): string {
  return textAt('series', 'lastObservedTime')(event) || text(event.lastTimestamp) || firstSeen(event);
}

function target(event: KubeObject): string {
  const kind = textAt('involvedObject', 'kind')(event).toLowerCase();
  const name = textAt('involvedObject', 'name')(event);
  return name ? `${kind}/${name}` : kind;
}

const columns: Kind['columns'] = [
  column('Last Seen', (event, now) => describeAge(lastSeen(event), now)),
  column('Type', textAt('type')),
  column('Reason', textAt('reason')),
  column('Object', target),
  wide('Subobject', textAt('involvedObject', 'fieldPath')),
  wide('Source', (event) => {
    const instance = textAt('source', 'host')(event) || textAt('reportingInstance')(event);
    return instance ? `${component(event)}, ${instance}` : component(event);
  }),
  column('Message', (event) => text(event.message).trim()),
  wide('First Seen', (event, now) => describeAge(firstSeen(event), now)),
  wide('Count', (event) => {
    const count = dig(event, 'series', 'count') ?? event.count;
    return typeof count === 'number' && count > 0 ? count : 1;
  }),
  column('Name', (event) => event.metadata.name, { priority: 1, format: 'name' }),
];

export const coreEvents: Kind = define({
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  generation: 'never',
  createOnUpdate: true,
  skipsMetadataChecks: true,
  selectableFields: {
    ...involved(REFERENCE, 'involvedObject'),
    reason: textAt('reason'),
    reportingComponent: textAt('reportingComponent'),
    source: component,
    type: textAt('type'),
  },
  unknownFieldLabel: notSupported,
  columns,
  setDefaults(event) {
    for (const [field, value] of Object.entries(ALWAYS_SHOWN)) {
      if (event[field] === undefined) event[field] = structuredClone(value);
    }
  },
  validateCreate: (event) => collect(event, (root) => validateEvent(root, 'reportingComponent')),
  validateUpdate: (event) => collect(event, (root) => validateEvent(root, 'reportingComponent')),
});

/** Fields that the core form always has. */
const ALWAYS_SHOWN: Fields = {
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};

/** Names in the core form and in events.k8s.io/v1. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function renamed(
  event: KubeObject,
  apiVersion: string,
  pairs: readonly (readonly [string, string])[],
): KubeObject {
  const names = new Map(pairs);
  const entries = Object.entries(event).map(([field, value]) => [names.get(field) ?? field, value]);
  return { ...Object.fromEntries(entries), apiVersion, kind: 'Event' } as KubeObject;
}

const toCore = (event: KubeObject): KubeObject => {
  const stored = renamed(
    event,
    'v1',
    RENAMED.map(([core, events]) => [events, core] as const),
  );
  coreEvents.setDefaults?.(stored);
  return stored;
};

const fromCore = (event: KubeObject): KubeObject => renamed(event, 'events.k8s.io/v1', RENAMED);

export const events: Kind = define({
  group: 'events.k8s.io',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  generation: 'never',
  createOnUpdate: true,
  skipsMetadataChecks: true,
  storage: {
    group: '',
    version: 'v1',
    kind: 'Event',
    plural: 'events',
    toStored: toCore,
    fromStored: fromCore,
  },
  selectableFields: {
    ...involved(REFERENCE, 'regarding'),
    reason: textAt('reason'),
    reportingController: textAt('reportingController'),
    type: textAt('type'),
  },
  unknownFieldLabel: notSupported,
  columns: columns.map((shown) => ({ ...shown, value: (event, now) => shown.value(toCore(event), now) })),
  setDefaults(event) {
    for (const field of ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp', 'eventTime']) {
      if (event[field] === undefined) event[field] = null;
    }
    if (!isRecord(event.regarding)) event.regarding = {};
    if (!isRecord(event.deprecatedSource)) event.deprecatedSource = {};
  },
  validateCreate(event) {
    const core = toCore(event);
    return [
      ...collect(core, (root) => validateEvent(root, 'reportingController')),
      ...validateObjectMeta(core, coreEvents),
      ...collect(core, (root) => {
        validateSeries(root.child('series'));
        if (isAbsent(core.eventTime)) root.child('eventTime').required();
        if (!['Normal', 'Warning'].includes(text(core.type))) {
          root.child('type').invalid(`has invalid value: ${text(core.type)}`, '');
        }
        for (const field of ['firstTimestamp', 'lastTimestamp', 'count']) {
          if (!isAbsent(core[field]) && core[field] !== 0) root.child(field).invalid('needs to be unset', '');
        }
        if (textAt('source', 'component')(core) || textAt('source', 'host')(core)) {
          root.child('source').invalid('needs to be unset', '');
        }
      }),
    ];
  },
  validateUpdate(event, old) {
    const core = toCore(event);
    const before = toCore(old);
    return [
      ...collect(core, (root) => validateEvent(root, 'reportingController')),
      ...validateObjectMetaUpdate(core, before, coreEvents),
      ...collect(core, (root) => {
        if (!same(core.series, before.series)) validateSeries(root.child('series'));
        for (const [field, shown] of UNCHANGED) {
          if (!same(core[field], before[field])) {
            root.child(shown).invalid('field is immutable', core[field] ?? '');
          }
        }
      }),
    ];
  },
});

const UNCHANGED: readonly (readonly [string, string])[] = [
  ...['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count', 'reason'],
  ...['type', 'eventTime', 'action', 'related'],
].map((field): readonly [string, string] => [field, field]);

function validateSeries(series: Field): void {
  if (series.absent) return;
  if (series.child('count').number < 2) series.child('count').invalid('should be at least 2', '');
  if (series.child('lastObservedTime').empty) series.child('lastObservedTime').required();
}

/** Rules for both forms; with an eventTime the newer, stricter ones apply. */
function validateEvent(root: Field, controllerField: string): void {
  const namespace = root.child('metadata', 'namespace').text;
  const subject = root.child('involvedObject', 'namespace');
  const mismatch = (): void => subject.invalid('does not match event.namespace', subject.text);
  if (root.child('eventTime').empty) {
    if (subject.empty ? namespace !== '' && namespace !== 'default' : namespace !== subject.text) mismatch();
  } else {
    if (subject.empty && namespace !== 'default' && namespace !== 'kube-system') mismatch();
    const controller = root.child(controllerField).as(dig(root.value, 'reportingComponent'));
    if (controller.empty) controller.required();
    controller.invalidAll(qualifiedName(controller.text), controller.text);
    for (const [field, limit] of [
      ['reportingInstance', 128],
      ['action', 128],
      ['reason', 128],
    ] as const) {
      const value = root.child(field);
      if (value.empty) value.required();
      if (Buffer.byteLength(value.text) > limit) value.invalid(`can have at most ${limit} characters`, '');
    }
    const message = root.child('message');
    if (Buffer.byteLength(message.text) > 1024) message.invalid('can have at most 1024 characters', '');
  }
  root.child('namespace').invalidAll(dnsSubdomain(namespace), namespace);
}
