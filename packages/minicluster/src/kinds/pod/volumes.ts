/** Volumes of a pod spec. */
import { isRecord, record } from '../fields.ts';
import type { Field } from '../validate/field.ts';
import { dnsLabel } from '../validate/names.ts';
import { validateFieldRef } from './containers.ts';

/** The names of valid volumes: mounts may refer to these. */
export function validateVolumes(volumes: Field): Set<string> {
  const names = new Set<string>();
  for (const volume of volumes.items()) {
    const errorsBefore = volume.errorCount;
    validateSource(volume);
    const name = volume.child('name');
    if (name.empty) name.required();
    else name.invalidAll(dnsLabel(name.text));
    if (names.has(name.text)) name.duplicate(name.text);
    if (volume.errorCount === errorsBefore) names.add(name.text);
  }
  return names;
}

function validateSource(volume: Field): void {
  const given = Object.keys(record(volume.value)).filter((key) => isRecord(record(volume.value)[key]));
  const ordered = [
    ...CHECKED.filter((key) => given.includes(key)),
    ...given.filter((key) => !CHECKED.includes(key)),
  ];
  ordered.forEach((key, index) => {
    const source = volume.child(key);
    if (index > 0) source.forbidden('may not specify more than 1 volume type');
    else if (Object.hasOwn(SOURCES, key)) SOURCES[key]?.(source);
  });
  if (given.length === 0) volume.required('must specify a volume type');
}

const requireField =
  (name: string) =>
  (source: Field): void => {
    const field = source.child(name);
    if (field.empty) field.required();
  };

const withKeys =
  (nameField: string) =>
  (source: Field): void => {
    requireField(nameField)(source);
    validateMode(source.child('defaultMode'));
    for (const item of source.child('items').items()) validateKeyToPath(item);
  };

/** The sources in the server's order. */
const SOURCES: Readonly<Record<string, (source: Field) => void>> = {
  emptyDir: () => {},
  hostPath: (source) => {
    requireField('path')(source);
    const path = source.child('path');
    if (path.text.split('/').includes('..')) path.invalid("must not contain '..'");
  },
  secret: withKeys('secretName'),
  nfs: (source) => {
    requireField('server')(source);
    requireField('path')(source);
    const path = source.child('path');
    if (!path.text.startsWith('/')) path.invalid('must be an absolute path', path.text);
  },
  persistentVolumeClaim: requireField('claimName'),
  downwardAPI: (source) => {
    validateMode(source.child('defaultMode'));
    for (const file of source.child('items').items()) validateDownwardFile(source.as(file.value));
  },
  configMap: withKeys('name'),
  projected: validateProjected,
  csi: requireField('driver'),
};
const CHECKED = Object.keys(SOURCES);

function validateMode(mode: Field): void {
  if (!mode.absent && (mode.number < 0 || mode.number > 0o777)) {
    mode.invalid('must be a number between 0 and 0777 (octal), both inclusive');
  }
}

function validateKeyToPath(item: Field): void {
  requireField('key')(item);
  requireField('path')(item);
  validateLocalPath(item.child('path'));
  validateMode(item.child('mode'));
}

function validateLocalPath(path: Field): void {
  if (path.text.startsWith('/')) path.invalid('must be a relative path');
  if (path.text.split('/').includes('..')) path.invalid("must not contain '..'");
  if (path.text.startsWith('..') && !path.text.startsWith('../')) path.invalid("must not start with '..'");
}

const VOLUME_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

function validateDownwardFile(file: Field): void {
  requireField('path')(file);
  validateLocalPath(file.child('path'));
  if (!file.child('fieldRef').absent) validateFieldRef(file.child('fieldRef'), VOLUME_FIELDS);
  else if (file.child('resourceFieldRef').absent)
    file.required('one of fieldRef and resourceFieldRef is required');
  validateMode(file.child('mode'));
}

function validateProjected(projected: Field): void {
  validateMode(projected.child('defaultMode'));
  const paths = new Set<string>();
  const claim = (path: Field, shown: unknown): void => {
    if (path.empty) return;
    if (paths.has(path.text)) projected.invalid('conflicting duplicate paths', shown);
    paths.add(path.text);
  };
  for (const source of projected.child('sources').items()) {
    const given = PROJECTIONS.filter((key) => !source.child(key).absent);
    for (const key of given) {
      const projection = source.child(key);
      if (key === 'secret' || key === 'configMap') {
        requireField('name')(projection);
        for (const item of projection.child('items').items()) {
          validateKeyToPath(item);
          claim(item.child('path'), projection.child('name').text);
        }
      } else if (key === 'downwardAPI') {
        for (const file of projection.child('items').items()) {
          validateDownwardFile(projection.as(file.value));
          claim(file.child('path'), file.child('path').text);
        }
      } else if (key === 'serviceAccountToken') {
        const seconds = projection.child('expirationSeconds');
        if (seconds.number < 600) seconds.invalid('may not specify a duration less than 10 minutes');
        if (projection.child('path').empty) projected.child('path').required();
      }
    }
    if (given.length > 1) source.forbidden('may not specify more than 1 volume type per source');
  }
}

const PROJECTIONS = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle'];
