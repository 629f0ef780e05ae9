/** Printer columns of a CRD. */
import type { KubeObject } from '../../model/object.ts';
import { describeAge } from '../age.ts';
import { type Fields, isRecord, records, text } from '../fields.ts';
import type { Column } from '../kind.ts';
import { name } from '../table.ts';
import { goJson } from '../validate/go-format.ts';
import { compileJsonPath } from './json-path.ts';

/** A version without printer columns shows the age. */
export function columnsOf(version: Fields): Column[] {
  const defined = records(version.additionalPrinterColumns);
  if (defined.length === 0) return [name, columnOf(AGE)];
  return [name, ...defined.map(columnOf)];
}

const AGE: Fields = {
  name: 'Age',
  type: 'date',
  description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
  jsonPath: '.metadata.creationTimestamp',
};

function columnOf(definition: Fields): Column {
  const path = text(definition.jsonPath);
  const read = compileJsonPath(path);
  const type = text(definition.type) as Column['type'];
  return {
    name: text(definition.name),
    type,
    ...(text(definition.format) !== '' && { format: text(definition.format) }),
    description:
      text(definition.description) || `Custom resource definition column (in JSONPath format): ${path}`,
    ...(typeof definition.priority === 'number' && { priority: definition.priority }),
    value(object: KubeObject, now: number) {
      const [found] = read?.(object) ?? [];
      return cell(type, found, now);
    },
  };
}

function cell(type: Column['type'], value: unknown, now: number): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : describeAge(value, now);
    default:
      return isRecord(value) || Array.isArray(value) ? goJson(value) : String(value);
  }
}
