import type { KubeObject } from '../../../model/object.ts';
import { dig, ensure, fill, fillEmpty, isRecord, same, text } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, column, count, name } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { Struct } from '../../validate/go-format.ts';
import {
  isEmptySelector,
  isUsableSelector,
  printableSelector,
  validateLabelSelector,
} from '../../validate/selector.ts';
import { containerColumns, labelsText, number, selectorColumn } from '../cells.ts';
import { specOf } from '../define.ts';
import { amountOf, validateAtMost100Percent, validateIntOrPercent } from '../int-or-percent.ts';
import {
  validateCounts,
  validateImmutableSelector,
  validateTemplateLabels,
  validateWorkloadTemplate,
  workload,
} from './workload.ts';

export const daemonSets: Kind = workload({
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  emptyStatus: {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  },
  generation: 'spec',
  columns: [
    name,
    count('Desired', number('status', 'desiredNumberScheduled')),
    count('Current', number('status', 'currentNumberScheduled')),
    count('Ready', number('status', 'numberReady')),
    count('Up-to-date', number('status', 'updatedNumberScheduled')),
    count('Available', number('status', 'numberAvailable')),
    column('Node Selector', (object) => labelsText(dig(object, 'spec', 'template', 'spec', 'nodeSelector'))),
    age,
    ...containerColumns('spec', 'template'),
    selectorColumn('spec', 'selector'),
  ],
  setDefaults(object) {
    const spec = specOf(object);
    fill(spec, { revisionHistoryLimit: 10 });
    const strategy = ensure(spec, 'updateStrategy');
    fillEmpty(strategy, { type: 'RollingUpdate' });
    if (strategy.type === 'RollingUpdate') {
      fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
    }
  },
  prepareForCreate: (object) => setTemplateGeneration(object, Math.max(1, templateGeneration(object))),
  prepareForUpdate(object, old) {
    const changed = !same(dig(object, 'spec', 'template'), dig(old, 'spec', 'template'));
    setTemplateGeneration(object, templateGeneration(old) + (changed ? 1 : 0));
  },
  validateCreate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      validateImmutableSelector(root.child('spec'), dig(old, 'spec', 'selector'));
      validateSpec(root.child('spec'));
    }),
  validateStatusUpdate: (object) =>
    collect(object, (root) =>
      validateCounts(
        root.child('status'),
        [
          ...['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady'],
          ...['observedGeneration', 'updatedNumberScheduled', 'numberAvailable', 'numberUnavailable'],
          'collisionCount',
        ],
        [],
      ),
    ),
});

/** A field that v1 no longer has is kept as an annotation. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const templateGeneration = (object: KubeObject): number =>
  Number.parseInt(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? '0', 10) || 0;

function setTemplateGeneration(object: KubeObject, generation: number): void {
  object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

function validateSpec(spec: Field): void {
  const selector = spec.child('selector');
  // A missing selector matches nothing; there is only this one error.
  validateLabelSelector(selector);
  if (isUsableSelector(selector.value)) validateTemplateLabels(spec);
  if (!selector.absent && isEmptySelector(selector.value)) {
    selector.invalid('empty selector is invalid for daemonset', printableSelector(selector.value));
  }
  validateWorkloadTemplate(spec, 'DaemonSet');
  spec.child('minReadySeconds').notNegative();
  validateUpdateStrategy(spec.child('updateStrategy'));
  spec.child('revisionHistoryLimit').notNegative();
}

function validateUpdateStrategy(strategy: Field): void {
  const type = strategy.child('type').text;
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') {
    strategy.notSupported(['RollingUpdate', 'OnDelete'], internalForm(strategy.value));
    return;
  }
  const unavailable = strategy.child('rollingUpdate', 'maxUnavailable');
  const surge = strategy.child('rollingUpdate', 'maxSurge');
  for (const field of [unavailable, surge]) validateIntOrPercent(field);
  for (const field of [unavailable, surge]) validateAtMost100Percent(field);
  const hasUnavailable = amountOf(unavailable.value) !== 0;
  const hasSurge = amountOf(surge.value) !== 0;
  if (hasUnavailable && hasSurge) surge.invalid('may not be set when maxUnavailable is non-zero');
  else if (!hasUnavailable && !hasSurge) unavailable.required('cannot be 0 when maxSurge is 0');
}

/** The server prints its internal type here, whose fields have no JSON names. */
const internalForm = (value: unknown): unknown =>
  new Struct({
    Type: text(dig(value, 'type')),
    RollingUpdate: isRecord(dig(value, 'rollingUpdate')) ? dig(value, 'rollingUpdate') : null,
  });
