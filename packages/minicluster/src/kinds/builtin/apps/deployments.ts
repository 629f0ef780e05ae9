import type { KubeObject } from '../../../model/object.ts';
import { dig, ensure, fill, fillEmpty, isRecord, same, text } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { contentChanged } from '../../strategy.ts';
import { age, column, name } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { Struct } from '../../validate/go-format.ts';
import { selectorText } from '../../validate/selector.ts';
import { containerColumns, number } from '../cells.ts';
import { specOf } from '../define.ts';
import { amountOf, validateAtMost100Percent, validateIntOrPercent } from '../int-or-percent.ts';
import { validateCounts, validateImmutableSelector, validateReplicated, workload } from './workload.ts';

export const deployments: Kind = workload({
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  statusKeepsMetadata: ['labels'],
  // `kubectl rollout` records its change cause in an annotation, so a change of annotations counts too.
  generation: (object, old) =>
    contentChanged(object, old) || !same(object.metadata.annotations, old.metadata.annotations),
  columns: [
    name,
    column('Ready', (object) => `${ready(object)}/${number('spec', 'replicas')(object)}`),
    column('Up-to-date', number('status', 'updatedReplicas')),
    column('Available', number('status', 'availableReplicas')),
    age,
    ...containerColumns('spec', 'template'),
    column('Selector', (object) => selectorText(dig(object, 'spec', 'selector')), { priority: 1 }),
  ],
  setDefaults(object) {
    const spec = specOf(object);
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategy = ensure(spec, 'strategy');
    fillEmpty(strategy, { type: 'RollingUpdate' });
    if (text(strategy.type) === 'RollingUpdate') {
      fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
    }
  },
  validateCreate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      validateSpec(root.child('spec'));
      validateImmutableSelector(root.child('spec'), dig(old, 'spec', 'selector'));
    }),
  validateStatusUpdate: (object) =>
    collect(object, (root) =>
      validateCounts(
        root.child('status'),
        [
          ...['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'],
          ...['unavailableReplicas', 'terminatingReplicas', 'collisionCount'],
        ],
        [
          ['updatedReplicas', 'replicas', 'status.replicas'],
          ['readyReplicas', 'replicas', 'status.replicas'],
          ['availableReplicas', 'replicas', 'status.replicas'],
          ['availableReplicas', 'readyReplicas', 'readyReplicas'],
        ],
      ),
    ),
});

const ready = (object: KubeObject): number => number('status', 'readyReplicas')(object);

function validateSpec(spec: Field): void {
  spec.child('replicas').notNegative();
  validateReplicated(spec);
  validateStrategy(spec.child('strategy'));
  spec.child('minReadySeconds').notNegative();
  spec.child('revisionHistoryLimit').notNegative();
  const deadline = spec.child('progressDeadlineSeconds');
  deadline.notNegative();
  if (!deadline.absent && deadline.number <= spec.child('minReadySeconds').number) {
    deadline.invalid('must be greater than minReadySeconds');
  }
}

function validateStrategy(strategy: Field): void {
  const rollingUpdate = strategy.child('rollingUpdate');
  const type = strategy.child('type').text;
  if (type === 'Recreate') {
    if (!rollingUpdate.absent) {
      rollingUpdate.forbidden("may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type === 'RollingUpdate') {
    const unavailable = rollingUpdate.child('maxUnavailable');
    const surge = rollingUpdate.child('maxSurge');
    validateIntOrPercent(unavailable);
    validateIntOrPercent(surge);
    if (amountOf(unavailable.value) === 0 && amountOf(surge.value) === 0) {
      unavailable.invalid('may not be 0 when `maxSurge` is 0');
    }
    validateAtMost100Percent(unavailable);
  } else {
    strategy.notSupported(['Recreate', 'RollingUpdate'], internalForm(strategy.value));
  }
}

/** The server prints its internal type of a strategy, whose fields have no JSON names. */
const internalForm = (value: unknown): unknown =>
  new Struct({
    Type: text(dig(value, 'type')),
    RollingUpdate: isRecord(dig(value, 'rollingUpdate'))
      ? new Struct({
          MaxUnavailable: dig(value, 'rollingUpdate', 'maxUnavailable') ?? 0,
          MaxSurge: dig(value, 'rollingUpdate', 'maxSurge') ?? 0,
        })
      : null,
  });
