/** Checks PodConfigMapConfigs: their fields, selectors, keys and templates. */

import type { JsonSchema } from '../crds/json-schema.ts';
import { podConfigMapConfigCrd } from '../crds/pod-config-map-config.ts';
import { POD_SHAPE, templateKeyProblem } from '../podconfig/data.ts';
import type { PodConfigMapConfig } from '../podconfig/model.ts';
import { problemsOf } from '../podconfig/project.ts';
import { compileTemplate } from '../template/index.ts';
import { valueAt } from './corpus.ts';
import { isJson, type Manifest } from './documents.ts';
import type { Report } from './finding.ts';
import { checkRoot, checkSchema, withoutNulls } from './schema.ts';

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
  checkRoot(object, SCHEMA, report);
  const refused: string[] = [];
  checkSchema(object.spec, SCHEMA, ['spec'], (field, ...finding) => {
    refused.push(field);
    report(field, ...finding);
  });
  const spec = { podSelector: valueAt(withoutNulls(object.spec, SCHEMA), ['podSelector']) } as NonNullable<
    PodConfigMapConfig['spec']
  >;
  const isTold = refused.some((field) => field.startsWith('spec.podSelector'));
  for (const { field, message } of isTold ? [] : problemsOf({ spec }))
    report(field, 'bad-field', message, ['spec', 'podSelector']);
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
