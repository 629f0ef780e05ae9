/** Checks PodConfigMapConfigs: their fields, selectors, keys and templates. */

import type { JsonSchema } from '../crds/json-schema.ts';
import { podConfigMapConfigCrd } from '../crds/pod-config-map-config.ts';
import { POD_SHAPE, templateKeyProblem } from '../podconfig/data.ts';
import { compileTemplate } from '../template/index.ts';
import { valueAt } from './corpus.ts';
import { isJson, type Manifest } from './documents.ts';
import type { Report } from './finding.ts';
import { checkSchema } from './schema.ts';

const API_VERSION = 'podconfig.example.com/v1alpha1';
const SCHEMA = valueAt(podConfigMapConfigCrd, [
  'spec',
  'versions',
  0,
  'schema',
  'openAPIV3Schema',
  'properties',
  'spec',
]) as JsonSchema;

export function checkPodConfig({ object, apiVersion, name }: Manifest, report: Report): void {
  if (apiVersion !== API_VERSION) {
    report('apiVersion', 'bad-api-version', `is ${apiVersion}: write ${API_VERSION}`, ['apiVersion']);
    return;
  }
  if (name === '') report('metadata.name', 'missing-field', 'is missing', ['metadata']);
  checkSchema(object.spec, SCHEMA, ['spec'], report);
  checkSelector(valueAt(object.spec, ['podSelector', 'matchExpressions']), report);
  const templates = valueAt(object.spec, ['configMapDataTemplate']);
  if (!isJson(templates)) return;
  for (const [key, text] of Object.entries(templates)) {
    const path = ['spec', 'configMapDataTemplate', key];
    const field = `spec.configMapDataTemplate.${key}`;
    const badKey = templateKeyProblem(key);
    if (badKey !== undefined) report(field, 'bad-key', `cannot be used: ${badKey}`, path);
    if (typeof text !== 'string') continue;
    try {
      compileTemplate(text, { name: key, shape: POD_SHAPE });
    } catch (error) {
      report(
        field,
        'bad-template',
        `cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        path,
      );
    }
  }
}

function checkSelector(expressions: unknown, report: Report): void {
  if (!Array.isArray(expressions)) return;
  expressions.forEach((expression: unknown, index) => {
    const path = ['spec', 'podSelector', 'matchExpressions', index];
    const field = `spec.podSelector.matchExpressions[${index}]`;
    const operator = valueAt(expression, ['operator']);
    const values = valueAt(expression, ['values']);
    const count = Array.isArray(values) ? values.length : 0;
    if ((operator === 'In' || operator === 'NotIn') && count === 0)
      report(field, 'missing-field', `needs values with ${operator}`, path);
    else if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0)
      report(field, 'no-effect', `must have no values with ${operator}`, path);
  });
}
