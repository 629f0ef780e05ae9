/** admissionregistration.k8s.io: webhook configurations. `admission/` calls the webhooks. */
import { array, ensure, fill, isRecord, records, same, text } from '../fields.ts';
import type { Kind } from '../kind.ts';
import { age, count, name } from '../table.ts';
import { collect, type Field } from '../validate/field.ts';
import { dnsSubdomain } from '../validate/names.ts';
import { validateLabelSelector } from '../validate/selector.ts';
import { define } from './define.ts';

const configuration = (kind: string, plural: string, defaults: Record<string, unknown>): Kind =>
  define({
    group: 'admissionregistration.k8s.io',
    kind,
    plural,
    namespaced: false,
    categories: ['api-extensions'],
    requiresResourceVersion: true,
    freeFinalizers: true,
    generation: (object, old) => !same(object.webhooks, old.webhooks),
    columns: [name, count('Webhooks', (object) => array(object.webhooks).length), age],
    setDefaults(object) {
      for (const webhook of records(object.webhooks)) {
        fill(webhook, {
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          timeoutSeconds: 10,
          ...defaults,
        });
        ensure(webhook, 'namespaceSelector');
        ensure(webhook, 'objectSelector');
        for (const rule of records(webhook.rules)) fill(rule, { scope: '*' });
        const service = ensure(webhook, 'clientConfig').service;
        if (isRecord(service)) fill(service, { port: 443 });
      }
    },
    validateCreate: (object) => collect(object, (root) => validateWebhooks(root.child('webhooks'))),
    validateUpdate: (object) => collect(object, (root) => validateWebhooks(root.child('webhooks'))),
  });

export const validatingWebhookConfigurations: Kind = configuration(
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
  {},
);
export const mutatingWebhookConfigurations: Kind = configuration(
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  { reinvocationPolicy: 'Never' },
);

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

function validateWebhooks(webhooks: Field): void {
  const names = new Set<string>();
  for (const webhook of webhooks.items()) {
    const webhookName = webhook.child('name');
    validateQualified(webhookName);
    for (const rule of webhook.child('rules').items()) validateRule(rule);
    const failure = webhook.child('failurePolicy');
    if (!['Fail', 'Ignore'].includes(failure.text)) failure.notSupported(['Fail', 'Ignore']);
    const match = webhook.child('matchPolicy');
    if (!['Equivalent', 'Exact'].includes(match.text)) match.notSupported(['Equivalent', 'Exact']);
    const effects = webhook.child('sideEffects');
    if (effects.absent) effects.required('must specify one of None, NoneOnDryRun');
    else if (!['None', 'NoneOnDryRun'].includes(effects.text)) effects.notSupported(['None', 'NoneOnDryRun']);
    const timeout = webhook.child('timeoutSeconds');
    if (timeout.number < 1 || timeout.number > 30) {
      timeout.invalid('the timeout value must be between 1 and 30 seconds');
    }
    for (const field of ['namespaceSelector', 'objectSelector']) validateLabelSelector(webhook.child(field));
    const client = webhook.child('clientConfig');
    if (client.child('url').absent === client.child('service').absent) {
      client.required('exactly one of url or service is required');
    }
    validateReviewVersions(webhook.child('admissionReviewVersions'));
    if (!webhookName.empty) {
      if (names.has(webhookName.text)) webhookName.duplicate();
      names.add(webhookName.text);
    }
  }
}

function validateQualified(field: Field): void {
  if (field.empty) {
    field.required();
    return;
  }
  const reasons = dnsSubdomain(field.text);
  if (reasons.length > 0) field.invalid(reasons.join(','));
  else if (field.text.split('.').length < 3) {
    field.invalid('should be a domain with at least three segments separated by dots');
  }
}

function validateRule(rule: Field): void {
  const operations = rule.child('operations');
  if (operations.count === 0) operations.required();
  if (operations.count > 1 && array(operations.value).includes('*')) {
    operations.invalid("if '*' is present, must not specify other operations");
  }
  for (const operation of operations.items()) {
    if (!OPERATIONS.includes(operation.text)) operation.notSupported(OPERATIONS);
  }
  for (const field of ['apiGroups', 'apiVersions', 'resources']) {
    if (rule.child(field).count === 0) rule.child(field).required();
  }
  const scope = rule.child('scope');
  if (!['*', 'Cluster', 'Namespaced'].includes(scope.text))
    scope.notSupported(['*', 'Cluster', 'Namespaced']);
}

function validateReviewVersions(versions: Field): void {
  if (versions.count === 0) {
    versions.required('must specify one of v1, v1beta1');
    return;
  }
  if (!array(versions.value).some((version) => ['v1', 'v1beta1'].includes(text(version)))) {
    versions.invalid('must include at least one of v1, v1beta1');
  }
}
