/**
 * The types of a ReloaderConfig say what its schema says: the same fields, required where it requires them, of the same
 * types. The compiler compares; a field that only one of the two knows fails here.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { spec } from './reloader-config/spec.ts';
import { status } from './reloader-config/status.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

let directory: string | undefined;
afterEach(async () => {
  if (directory) await rm(directory, { recursive: true, force: true });
});

/** A schema as a type; every field is a pair of its type and whether it must be there. */
function typeOf(schema: JsonSchema): string {
  const { type, enum: values, items, properties, additionalProperties, required = [] } = schema;
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return items ? `(${typeOf(items)})[]` : 'unknown[]';
  if (properties) {
    const fields = Object.entries(properties).map(([name, field]) => {
      const need = required.includes(name) ? 'required' : 'optional';
      // The runtime's selectors take any word there: not every one that it reads was checked by a schema.
      const told = name === 'operator' ? 'string' : typeOf(field);
      return `${JSON.stringify(name)}: [${told}, '${need}']`;
    });
    return `{ ${fields.join('; ')} }`;
  }
  if (typeof additionalProperties === 'object') return `Record<string, ${typeOf(additionalProperties)}>`;
  if (schema['x-kubernetes-int-or-string']) return 'number | string';
  if (schema['x-kubernetes-preserve-unknown-fields']) return 'Record<string, unknown>';
  if (type === 'integer') return 'number';
  return type === 'string' || type === 'boolean' ? type : 'unknown';
}

const PRELUDE = `
/** The same of a type that people wrote. */
type Told<T> = T extends readonly (infer I)[] ? Told<I>[]
  : string extends keyof T ? T
  : T extends object ? { [K in keyof T]-?: [Told<Exclude<T[K], undefined>>, {} extends Pick<T, K> ? 'optional' : 'required'] }
  : T;
`;

async function compare(known: string, schema: JsonSchema): Promise<string> {
  // Inside the package, so that imports are found.
  directory = await mkdtemp(join(HERE, 'types-agree-'));
  const program = `import type { ${known} } from '../reloader-config/object.ts';
${PRELUDE}
type Schema = ${typeOf(schema)};
export const written = (told: Told<${known}>): Schema => told;
export const served = (schema: Schema): Told<${known}> => schema;
`;
  await writeFile(join(directory, 'compare.ts'), program);
  const settings = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: { noEmit: true, customConditions: ['@reloader/source'] },
    files: ['compare.ts'],
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(settings));
  try {
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', directory]);
    return '';
  } catch (error) {
    return String((error as { stdout?: Buffer }).stdout);
  }
}

test.each([
  ['ReloaderConfigSpec', spec],
  ['ReloaderConfigStatus', status],
])('%s', { timeout: 60_000 }, async (known, schema) => {
  expect(await compare(known, schema)).toBe('');
});

test('a field that the types do not know is found', { timeout: 60_000 }, async () => {
  const properties = { ...spec.properties, colour: { type: 'string' } } as const;
  expect(await compare('ReloaderConfigSpec', { ...spec, properties })).toContain('colour');
});
