/**
 * Go's text/template over plain data: syntax, functions and printing as in Go, but no template can run code, read files
 * or run for ever.
 *
 * In: the text and the data. Out: text, or a `TemplateError` that names the key, line and column.
 */
import { errorAt, SourceError, TemplateError } from './error.ts';
import { type ExecuteLimits, execute } from './execute.ts';
import { FUNCTION_NAMES } from './functions.ts';
import { Meter } from './meter.ts';
import { parse } from './parse.ts';
import { type Shape, unknownField } from './shape.ts';
import { valueFrom } from './values.ts';

export { TemplateError } from './error.ts';

/** A template that was parsed without errors. */
export interface Template {
  /** Throws a `TemplateError` if execution fails with this data, or exceeds the limits. */
  execute(data: unknown, limits?: Partial<ExecuteLimits>, meter?: Meter): string;
}

/** The default number of characters that may be processed for each byte of output. */
const WORK_PER_OUTPUT = 32;
const DEFAULT_LIMITS: ExecuteLimits = { maxOutputBytes: 1_048_576, maxSteps: 100_000 };
/** Longer than any hand-written template. */
export const LONGEST_SOURCE = 65_536;

export interface CompileOptions {
  /** For messages. */
  readonly name: string;
  /** The shape of the data: a field that it does not have is refused. Unless given, any field is accepted. */
  readonly shape?: Shape | undefined;
}

/**
 * @example
 * ```ts
 * const template = compileTemplate('{{ .metadata.name | upper }}', { name: 'greeting' });
 * template.execute({ metadata: { name: 'web' } }); // WEB
 * ```
 */
export function compileTemplate(source: string, { name, shape }: CompileOptions): Template {
  if (source.length > LONGEST_SOURCE) {
    throw new TemplateError(
      name,
      1,
      1,
      `the template has ${source.length} characters, at most ${LONGEST_SOURCE} are read`,
    );
  }
  const { root, definitions } = parse(name, source, FUNCTION_NAMES);
  const unknown = shape && unknownField(root, shape);
  if (unknown) throw errorAt(name, source, unknown.at, unknown.message);
  return {
    execute(data, limits = {}, meter) {
      const all = { ...DEFAULT_LIMITS, ...limits };
      const metered = meter ?? new Meter(WORK_PER_OUTPUT * all.maxOutputBytes);
      try {
        return execute(root, definitions, valueFrom(data), all, metered);
      } catch (error) {
        throw error instanceof SourceError ? errorAt(name, source, error.at, error.message) : error;
      }
    },
  };
}
