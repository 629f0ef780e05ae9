/** Formats JSON values as Go does, for messages that are compared with a real server's. */
import { isRecord } from '../schema/json.ts';

/** As `%T` of a decoded value. */
export function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'object':
      return value === null ? '<nil>' : 'map[string]interface {}';
    default:
      return typeof value;
  }
}

/** As `%#v`. */
export function goSyntax(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isRecord(value)) return value === null ? 'interface {}(nil)' : String(value);
  const parts = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${parts.join(', ')}}`;
}

/** As `%v`. */
export function goValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (!isRecord(value)) return value === null ? '<nil>' : String(value);
  const parts = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goValue(value[key])}`);
  return `map[${parts.join(' ')}]`;
}
