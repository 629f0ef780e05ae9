/** Validates an applied configuration against field types, in the words of a server's apply. */
import { isRecord } from '../schema/json.ts';
import { deduce, type FieldType, type ListType, type MapType, type ScalarType } from './field-type.ts';
import { goSyntax, goTypeName, goValue } from './go-values.ts';
import { fieldElement, itemElement, ListItemError, type PathElement, printElement } from './path-element.ts';

/** Each problem with its path: `.spec.foo: field not declared in schema`. */
export function typeProblems(value: unknown, type: FieldType): string[] {
  const problems: string[] = [];
  check(value, type, '', problems);
  return problems;
}

/** All of them as one message. */
export function describeProblems(problems: readonly string[]): string {
  return problems.length === 1
    ? (problems[0] ?? '')
    : ['errors:', ...problems.map((each) => `  ${each}`)].join('\n');
}

function check(value: unknown, type: FieldType, path: string, problems: string[]): void {
  if (value === null || value === undefined) return;
  const { map, scalar, list } = deduce(type, value);
  const complain = (text: string): void => {
    problems.push(path ? `${path}: ${text}` : text);
  };
  if (map) {
    if (isRecord(value)) checkFields(value, map, path, problems);
    else complain(`expected map, got &{${goValue(value)}}`);
  } else if (scalar) {
    const wrong = scalarProblem(value, scalar);
    if (wrong) complain(wrong);
  } else if (list) {
    if (Array.isArray(value)) checkItems(value, list, path, problems);
    else complain(`expected list, got &{${goValue(value)}}`);
  }
}

function checkFields(value: Record<string, unknown>, type: MapType, path: string, problems: string[]): void {
  for (const name of Object.keys(value).sort()) {
    const field = type.field(name);
    const at = path + printElement(fieldElement(name));
    if (field) check(value[name], field, at, problems);
    else {
      // After one undeclared field the server stops in this object.
      problems.push(`${at}: field not declared in schema`);
      return;
    }
  }
}

function checkItems(items: readonly unknown[], type: ListType, path: string, problems: string[]): void {
  const seen = new Set<PathElement>();
  for (const [index, item] of items.entries()) {
    let element: PathElement;
    try {
      element = type.atomic ? `i:${index}` : itemElement(type, item);
    } catch (error) {
      if (!(error instanceof ListItemError)) throw error;
      problems.push(`${path}: element ${index}: ${error.message}`);
      return;
    }
    const at = path + printElement(element);
    if (seen.has(element)) problems.push(`${path}: duplicate entries for key ${printElement(element)}`);
    seen.add(element);
    check(item, type.element(), at, problems);
  }
}

function scalarProblem(value: unknown, type: ScalarType): string | undefined {
  switch (type) {
    case 'numeric':
      return typeof value === 'number'
        ? undefined
        : `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goValue(value)}}`;
    default:
      return typeof value === 'object' ? `expected any scalar, got &{${goValue(value)}}` : undefined;
  }
}
