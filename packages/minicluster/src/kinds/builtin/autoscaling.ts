/** autoscaling/v2: HorizontalPodAutoscalers, stored and shown; nothing scales. */
import type { KubeObject } from '../../model/object.ts';
import { array, dig, ensure, fill, isAbsent, isRecord, record, records, text } from '../fields.ts';
import type { Kind } from '../kind.ts';
import { age, column, name } from '../table.ts';
import { collect, type Field } from '../validate/field.ts';
import { pathSegment } from '../validate/names.ts';
import { number } from './cells.ts';
import { define, specOf } from './define.ts';

const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

export const horizontalPodAutoscalers: Kind = define({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  hasStatus: true,
  emptyStatus: { desiredReplicas: 0, currentMetrics: null },
  generation: 'never',
  columns: [
    name,
    column('Reference', (object) => {
      const target = record(dig(object, 'spec', 'scaleTargetRef'));
      return `${text(target.kind)}/${text(target.name)}`;
    }),
    column('Targets', targetsText),
    column('MinPods', (object) => String(dig(object, 'spec', 'minReplicas') ?? '<unset>')),
    column('MaxPods', number('spec', 'maxReplicas')),
    column('Replicas', number('status', 'currentReplicas')),
    age,
  ],
  setDefaults(object) {
    const spec = specOf(object);
    fill(spec, { minReplicas: 1 });
    if (array(spec.metrics).length === 0) {
      const target = { type: 'Utilization', averageUtilization: 80 };
      spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    }
    if (!isRecord(spec.behavior)) return;
    fill(ensure(spec.behavior, 'scaleUp'), structuredClone(SCALE_UP));
    fill(ensure(spec.behavior, 'scaleDown'), structuredClone(SCALE_DOWN));
  },
  validateCreate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
  validateUpdate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
});

function validateSpec(spec: Field): void {
  const least = spec.child('minReplicas');
  const most = spec.child('maxReplicas');
  if (!least.absent && least.number < 1) least.invalid('must be greater than or equal to 1');
  if (most.number === 0) most.required('must be set and greater than 0');
  else if (most.number < 0) most.invalid('must be greater than or equal to 1');
  if (!least.absent && most.number < least.number) {
    most.invalid('must be greater than or equal to `minReplicas`', most.number);
  }
  for (const field of ['kind', 'name']) {
    const value = spec.child('scaleTargetRef', field);
    if (value.empty) value.required();
    else value.invalidAll(pathSegment(value.text));
  }
  const apiVersion = spec.child('scaleTargetRef', 'apiVersion');
  if (
    !apiVersion.text.includes('/') &&
    spec.child('scaleTargetRef', 'kind').text !== 'ReplicationController'
  ) {
    apiVersion.invalid('apiVersion must specify API group', apiVersion.text);
  }
  const metrics = spec.child('metrics');
  const outside = records(metrics.value).some(
    (metric) => metric.type === 'Object' || metric.type === 'External',
  );
  if (least.value === 0 && !outside) {
    metrics.forbidden(
      'must specify at least one Object or External metric to support scaling to zero replicas',
    );
  }
}

function targetsText(object: KubeObject): string {
  const current = records(dig(object, 'status', 'currentMetrics'));
  const shown = records(dig(object, 'spec', 'metrics')).map((metric, index) => {
    const source = text(metric.type);
    const key = source.charAt(0).toLowerCase() + source.slice(1);
    const target = record(dig(metric, key, 'target'));
    const now = record(dig(current[index], key, 'current'));
    const label = key.endsWith('esource') ? `${text(dig(metric, key, 'name'))}: ` : '';
    if (!isAbsent(target.averageUtilization)) {
      return `${label}${percentOr(now.averageUtilization)}/${String(target.averageUtilization)}%`;
    }
    const value = target.averageValue ?? target.value;
    return `${label}${String(now.averageValue ?? now.value ?? '<unknown>')}/${String(value ?? '<auto>')}`;
  });
  if (shown.length === 0) return '<none>';
  return shown.length > 2
    ? `${shown.slice(0, 2).join(', ')} + ${shown.length - 2} more...`
    : shown.join(', ');
}

const percentOr = (value: unknown): string => (isAbsent(value) ? '<unknown>' : `${String(value)}%`);
