import {
  dig,
  ensure,
  type Fields,
  fill,
  fillEmpty,
  isRecord,
  record,
  records,
  same,
  text,
} from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, column, name } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { Struct } from '../../validate/go-format.ts';
import { dnsLabel } from '../../validate/names.ts';
import { isEmptySelector, isUsableSelector, printableSelector } from '../../validate/selector.ts';
import { containerColumns, number } from '../cells.ts';
import { validateClaimSpec } from '../core/volumes.ts';
import { specOf } from '../define.ts';
import { amountOf, validateAtMost100Percent, validateIntOrPercent } from '../int-or-percent.ts';
import {
  validateCounts,
  validateSelector,
  validateTemplateLabels,
  validateWorkloadTemplate,
  workload,
} from './workload.ts';

export const statefulSets: Kind = workload({
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  nameRule: dnsLabel,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  emptyStatus: { replicas: 0, availableReplicas: 0 },
  generation: 'spec',
  columns: [
    name,
    column(
      'Ready',
      (object) => `${number('status', 'readyReplicas')(object)}/${number('spec', 'replicas')(object)}`,
    ),
    age,
    ...containerColumns('spec', 'template'),
  ],
  setDefaults(object) {
    const spec = specOf(object);
    fillEmpty(spec, { podManagementPolicy: 'OrderedReady' });
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, serviceName: '' });
    const strategy = ensure(spec, 'updateStrategy');
    if (text(strategy.type) === '') {
      strategy.type = 'RollingUpdate';
      ensure(strategy, 'rollingUpdate');
    }
    if (strategy.type === 'RollingUpdate' && isRecord(strategy.rollingUpdate)) {
      fill(strategy.rollingUpdate, { partition: 0 });
    }
    fillEmpty(ensure(spec, 'persistentVolumeClaimRetentionPolicy'), {
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
    });
    for (const claim of records(spec.volumeClaimTemplates)) {
      fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
      fill(ensure(claim, 'spec'), { volumeMode: 'Filesystem', resources: {} });
      fill(ensure(claim, 'status'), { phase: 'Pending' });
    }
  },
  validateCreate: (object) => collect(object, (root) => validateSpec(root.child('spec'), false)),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      const spec = root.child('spec');
      validateSpec(spec, true);
      if (!same(fixedPart(record(spec.value)), fixedPart(record(old.spec)))) {
        spec.forbidden(
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        );
      }
    }),
  validateStatusUpdate: (object) =>
    collect(object, (root) =>
      validateCounts(
        root.child('status'),
        [
          ...['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
          ...['observedGeneration', 'collisionCount'],
        ],
        [
          ['readyReplicas', 'replicas', 'status.replicas'],
          ['currentReplicas', 'replicas', 'status.replicas'],
          ['updatedReplicas', 'replicas', 'status.replicas'],
          ['availableReplicas', 'replicas', 'status.replicas'],
          ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
        ],
      ),
    ),
});

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

/** Immutable fields of the set. */
const fixedPart = (spec: Fields): Fields =>
  Object.fromEntries(Object.entries(spec).filter(([field]) => !CHANGEABLE.includes(field)));

function validateSpec(spec: Field, update: boolean): void {
  const policy = spec.child('podManagementPolicy');
  if (policy.empty) policy.required();
  else if (!['OrderedReady', 'Parallel'].includes(policy.text)) {
    policy.invalid("must be 'OrderedReady' or 'Parallel'");
  }
  validateUpdateStrategy(spec.child('updateStrategy'));
  const retention = spec.child('persistentVolumeClaimRetentionPolicy');
  for (const when of ['whenDeleted', 'whenScaled']) {
    const choice = retention.child(when);
    if (!['Retain', 'Delete'].includes(choice.text)) choice.notSupported(['Retain', 'Delete'], choice.text);
  }
  const claims = spec.child('volumeClaimTemplates');
  // They are immutable, so stored values are not validated again.
  if (!update) for (const claim of claims.items()) validateClaimSpec(claim.child('spec'));
  spec.child('replicas').notNegative();
  spec.child('minReadySeconds').notNegative();
  spec.child('ordinals', 'start').notNegative();
  const serviceName = spec.child('serviceName');
  if (!update && !serviceName.empty) serviceName.invalidAll(dnsLabel(serviceName.text));

  const selector = spec.child('selector');
  validateSelector(selector, 'statefulset');
  if (!isUsableSelector(selector.value)) {
    selector.invalid('', printableSelector(selector.value));
    return;
  }
  if (selector.absent || !isEmptySelector(selector.value)) validateTemplateLabels(spec);
  const names = claims.items().map((claim) => claim.child('metadata', 'name').text);
  validateWorkloadTemplate(spec, 'StatefulSet', names);
}

function validateUpdateStrategy(strategy: Field): void {
  const type = strategy.child('type').text;
  const rollingUpdate = strategy.child('rollingUpdate');
  if (type === '') strategy.required();
  else if (type === 'OnDelete') {
    if (!rollingUpdate.absent) {
      rollingUpdate.invalid(
        "only allowed for updateStrategy 'RollingUpdate'",
        internalRollingUpdate(rollingUpdate.value),
      );
    }
  } else if (type === 'RollingUpdate') {
    rollingUpdate.child('partition').notNegative();
    const unavailable = rollingUpdate.child('maxUnavailable');
    if (unavailable.absent) return;
    validateIntOrPercent(unavailable);
    if (amountOf(unavailable.value) === 0) unavailable.invalid('cannot be 0');
    validateAtMost100Percent(unavailable);
  } else {
    const shown = {
      Type: type,
      RollingUpdate: rollingUpdate.absent ? null : internalRollingUpdate(rollingUpdate.value),
    };
    strategy.invalid("must be 'RollingUpdate' or 'OnDelete'", new Struct(shown));
  }
}

/** The server prints its internal type here, whose fields have no JSON names. */
const internalRollingUpdate = (value: unknown): unknown =>
  new Struct({
    Partition: dig(value, 'partition') ?? 0,
    MaxUnavailable: dig(value, 'maxUnavailable') ?? null,
  });
