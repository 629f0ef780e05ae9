/**
 * The OpenAPI v2 document in protobuf (`application/com.github.proto-openapi.spec.v2@v1.0+protobuf`): some clients,
 * among them every kubectl before 1.27, accept nothing else.
 */
import { isRecord } from '../schema/json.ts';
import { openApiV2 } from '../schema/openapi.ts';
import type { OpenApiKind } from '../schema/openapi-paths.ts';
import { MessageWriter } from './wire-writer.ts';

type Json = Record<string, unknown>;

export function openApiV2Protobuf(kinds: readonly OpenApiKind[]): Uint8Array {
  const document = openApiV2(kinds) as { swagger: string; info: Json; paths: Json; definitions: Json };
  const paths = new MessageWriter();
  for (const [path, item] of Object.entries(document.paths))
    paths.message(2, named(path, pathItem(item as Json)));
  const definitions = new MessageWriter();
  for (const [name, schema] of Object.entries(document.definitions)) {
    definitions.message(1, named(name, schemaMessage(schema as Json)));
  }
  return new MessageWriter()
    .text(1, document.swagger)
    .message(
      2,
      new MessageWriter().text(1, String(document.info.title)).text(2, String(document.info.version)),
    )
    .message(8, paths)
    .message(9, definitions)
    .finish();
}

const named = (name: string, value: MessageWriter): MessageWriter =>
  new MessageWriter().text(1, name).message(2, value);

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function pathItem(item: Json): MessageWriter {
  const message = new MessageWriter();
  for (const [method, operation] of Object.entries(item)) {
    const number = METHODS[method];
    if (number !== undefined) message.message(number, operationMessage(operation as Json));
  }
  return message;
}

function operationMessage(operation: Json): MessageWriter {
  const message = new MessageWriter().text(5, String(operation.operationId));
  for (const parameter of operation.parameters as Json[]) {
    const query = new MessageWriter()
      .text(2, 'query')
      .text(4, String(parameter.name))
      .text(6, String(parameter.type))
      .flag(20, true);
    const nonBody = new MessageWriter().message(3, query);
    message.message(8, new MessageWriter().message(1, new MessageWriter().message(2, nonBody)));
  }
  return extensions(message.message(9, new MessageWriter()), 13, operation);
}

/** Extensions travel as YAML, of which JSON is a part. */
function extensions(message: MessageWriter, number: number, source: Json): MessageWriter {
  for (const [key, value] of Object.entries(source)) {
    if (key.startsWith('x-')) message.message(number, named(key, any(value)));
  }
  return message;
}

const any = (value: unknown): MessageWriter => new MessageWriter().text(2, `${JSON.stringify(value)}\n`);

function schemaMessage(schema: Json): MessageWriter {
  const text = (key: string): string | undefined =>
    typeof schema[key] === 'string' ? (schema[key] as string) : undefined;
  const number = (key: string): number | undefined =>
    typeof schema[key] === 'number' ? (schema[key] as number) : undefined;
  const message = new MessageWriter()
    .text(1, text('$ref'))
    .text(2, text('format'))
    .text(4, text('description'))
    .message(5, schema.default === undefined ? undefined : any(schema.default))
    .double(6, number('multipleOf'))
    .double(7, number('maximum'))
    .flag(8, schema.exclusiveMaximum === true)
    .double(9, number('minimum'))
    .flag(10, schema.exclusiveMinimum === true)
    .integer(11, number('maxLength'))
    .integer(12, number('minLength'))
    .text(13, text('pattern'))
    .integer(14, number('maxItems'))
    .integer(15, number('minItems'))
    .integer(17, number('maxProperties'))
    .integer(18, number('minProperties'));
  for (const name of (schema.required ?? []) as string[]) message.text(19, name);
  for (const value of (schema.enum ?? []) as unknown[]) message.message(20, any(value));
  const { additionalProperties, items, properties } = schema;
  if (isRecord(additionalProperties)) {
    message.message(21, new MessageWriter().message(1, schemaMessage(additionalProperties)));
  } else if (additionalProperties === true) message.message(21, new MessageWriter().flag(2, true));
  if (text('type')) message.message(22, new MessageWriter().text(1, text('type')));
  if (isRecord(items)) message.message(23, new MessageWriter().message(1, schemaMessage(items)));
  if (isRecord(properties)) {
    const all = new MessageWriter();
    for (const [name, property] of Object.entries(properties))
      all.message(1, named(name, schemaMessage(property as Json)));
    message.message(25, all);
  }
  return extensions(message, 31, schema);
}
