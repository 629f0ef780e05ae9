/** A pod spec as a whole, alone or inside a template. */

import { validateAnnotations } from '../meta/validate.ts';
import type { Field } from '../validate/field.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName, rangeText } from '../validate/names.ts';
import { validateLabelSelector, validateLabels } from '../validate/selector.ts';
import { validateContainers, validateInitContainers } from './containers.ts';
import { validatePodSecurityContext } from './security.ts';
import { validateVolumes } from './volumes.ts';

const MAX_INT32 = 2 ** 31 - 1;

/** `claims`: volumes that exist without being listed (claim templates of a StatefulSet). */
export function validatePodSpec(spec: Field, claims: readonly string[] = []): void {
  const grace = spec.child('terminationGracePeriodSeconds');
  if (grace.absent) grace.required();
  const volumes = validateVolumes(spec.child('volumes'));
  for (const claim of claims) volumes.add(claim);
  const containers = spec.child('containers');
  validateContainers(containers, volumes);
  validateInitContainers(spec.child('initContainers'), containers, volumes);
  validateHostNetworkPorts(spec);
  spec.child('restartPolicy').oneOf(['Always', 'OnFailure', 'Never']);
  spec.child('dnsPolicy').oneOf(['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']);
  validateLabels(spec.child('nodeSelector'));
  validatePodSecurityContext(spec.child('securityContext'));
  for (const gate of spec.child('readinessGates').items()) {
    const type = gate.child('conditionType');
    type.invalidAll(qualifiedName(type.text), type.text);
  }
  validateSpread(spec.child('topologySpreadConstraints'));
  for (const [name, rule] of NAMES) {
    const field = spec.child(name);
    if (!field.empty) field.invalidAll(rule(field.text));
  }
  const deadline = spec.child('activeDeadlineSeconds');
  if (!deadline.absent && (deadline.number < 1 || deadline.number > MAX_INT32)) {
    deadline.invalid(rangeText(1, MAX_INT32));
  }
  validateTolerations(spec.child('tolerations'));
  const preemption = spec.child('preemptionPolicy');
  if (!preemption.absent) preemption.oneOf(['PreemptLowerPriority', 'Never']);
}

const NAMES = [
  ['serviceAccountName', dnsSubdomain],
  ['nodeName', dnsSubdomain],
  ['hostname', dnsLabel],
  ['subdomain', dnsLabel],
  ['priorityClassName', dnsSubdomain],
  ['runtimeClassName', dnsSubdomain],
] as const;

function validateHostNetworkPorts(spec: Field): void {
  if (spec.child('hostNetwork').value !== true) return;
  for (const container of spec.child('containers').items()) {
    for (const port of container.child('ports').items()) {
      const hostPort = port.child('hostPort');
      if (hostPort.number !== 0 && hostPort.number !== port.child('containerPort').number) {
        hostPort.invalid('must match `containerPort` when `hostNetwork` is true');
      }
    }
  }
}

function validateSpread(constraints: Field): void {
  for (const constraint of constraints.items()) {
    const skew = constraint.child('maxSkew');
    if (skew.number <= 0) skew.invalid('must be greater than 0', skew.number);
    const key = constraint.child('topologyKey');
    if (key.empty) key.required('can not be empty');
    const action = constraint.child('whenUnsatisfiable');
    if (!['DoNotSchedule', 'ScheduleAnyway'].includes(action.text)) {
      action.notSupported(['DoNotSchedule', 'ScheduleAnyway'], action.text);
    }
    validateLabelSelector(constraint.child('labelSelector'));
  }
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTolerations(tolerations: Field): void {
  for (const toleration of tolerations.items()) {
    const key = toleration.child('key');
    const operator = toleration.child('operator');
    const effect = toleration.child('effect');
    const value = toleration.child('value').text;
    if (!key.empty) key.invalidAll(qualifiedName(key.text));
    else if (operator.text !== 'Exists') {
      operator.invalid(
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        operator.text,
      );
    }
    if (!toleration.child('tolerationSeconds').absent && effect.text !== 'NoExecute') {
      effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set", effect.text);
    }
    if (operator.empty || operator.text === 'Equal') {
      const reasons = labelValue(value);
      if (reasons.length > 0) operator.invalid(reasons.join(';'), value);
    } else if (operator.text === 'Exists') {
      if (value) operator.invalid("value must be empty when `operator` is 'Exists'", value);
    } else operator.notSupported(['Equal', 'Exists']);
    if (!effect.empty && !EFFECTS.includes(effect.text)) effect.notSupported(EFFECTS);
  }
}

/** `spec.template` of a workload. */
export function validatePodTemplate(template: Field, claims: readonly string[] = []): void {
  // Upstream omits `metadata` in these two paths.
  validateLabels(template.child('labels').as(template.child('metadata', 'labels').value));
  validateAnnotations(template.child('annotations').as(template.child('metadata', 'annotations').value));
  validatePodSpec(template.child('spec'), claims);
  const ephemeral = template.child('spec', 'ephemeralContainers');
  if (ephemeral.count > 0) ephemeral.forbidden('ephemeral containers not allowed in pod template');
}
