/** Mutable fields of a pod: images, deadlines that get shorter, added tolerations, removed scheduling gates. */
import type { KubeObject } from '../../model/object.ts';
import { array, type Fields, isAbsent, isRecord, record, records, same } from '../fields.ts';
import type { Field } from '../validate/field.ts';

const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

export function validatePodUpdate(root: Field, old: KubeObject): void {
  const spec = root.child('spec');
  const before = record(old.spec);
  for (const name of ['containers', 'initContainers']) {
    const containers = spec.child(name);
    if (containers.count !== array(before[name]).length) {
      containers.forbidden('pod updates may not add or remove containers');
      return;
    }
  }
  const deadline = spec.child('activeDeadlineSeconds');
  const oldDeadline = before.activeDeadlineSeconds;
  if (!deadline.absent) {
    if (typeof oldDeadline === 'number' && oldDeadline < deadline.number) {
      deadline.invalid('must be less than or equal to previous value');
      return;
    }
  } else if (!isAbsent(oldDeadline)) {
    deadline.invalid('must not update from a positive integer to nil value', null);
  }
  validateAddedOnly(spec.child('tolerations'), array(before.tolerations));
  const gates = spec.child('schedulingGates');
  for (const gate of gates.items()) {
    if (!array(before.schedulingGates).some((known) => same(known, gate.value))) {
      gates.forbidden(`only deletion is allowed, but found new scheduling gate '${gate.child('name').text}'`);
    }
  }
  if (!same(withoutChangeable(record(spec.value), before), before)) {
    spec.forbidden(`pod updates may not change fields other than ${CHANGEABLE.join(',')}`);
  }
}

function validateAddedOnly(tolerations: Field, before: readonly unknown[]): void {
  const current = records(tolerations.value);
  const kept = before.every((old) =>
    current.some((toleration) =>
      same({ ...toleration, tolerationSeconds: null }, { ...record(old), tolerationSeconds: null }),
    ),
  );
  if (!kept) tolerations.forbidden('existing toleration can not be modified except its tolerationSeconds');
}

/** The new spec with the old values of all mutable fields. */
function withoutChangeable(spec: Fields, old: Fields): Fields {
  const result: Fields = { ...spec };
  for (const name of ['containers', 'initContainers']) {
    if (!Array.isArray(spec[name])) continue;
    result[name] = records(spec[name]).map((container, index) => ({
      ...container,
      image: record(array(old[name])[index]).image,
    }));
  }
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) result[name] = old[name];
  const grace = old.terminationGracePeriodSeconds;
  if (typeof grace === 'number' && grace < 0 && spec.terminationGracePeriodSeconds === 1) {
    result.terminationGracePeriodSeconds = grace;
  }
  if (array(old.schedulingGates).length > 0) {
    // A pod with a scheduling gate may change its node selection.
    result.nodeSelector = old.nodeSelector;
    if (isRecord(spec.affinity) || isRecord(old.affinity)) {
      const { nodeAffinity: _, ...affinity } = record(spec.affinity);
      result.affinity = { ...affinity, nodeAffinity: record(old.affinity).nodeAffinity };
    }
  }
  return result;
}
