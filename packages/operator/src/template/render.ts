/**
 * Renders several templates over the same data, with one budget for all. The worker thread runs this; the code does not
 * depend on that.
 */
import { TemplateError } from './error.ts';
import { compileTemplate, type Template } from './index.ts';
import { Meter } from './meter.ts';
import type { Shape } from './shape.ts';

export interface RenderRequest {
  /** Name and text of each template. */
  readonly templates: readonly (readonly [name: string, source: string])[];
  readonly data: unknown;
  /** The shape of the data: a template that uses another field is refused. */
  readonly shape?: Shape;
  /** For each output. */
  readonly maxOutputBytes: number;
}

/** For each template. */
const MOST_STEPS = 20_000;
/** For all templates together: far more than ordinary templates need, and done within a few tenths of a second. */
const MOST_WORK = 2_000_000;
/** Parsing a character costs more than copying it. */
const READING_COST = 4;
/** Templates are rendered again for every pod and message: the most recently used ones stay parsed. */
const MOST_READ = 64;

const read = new Map<string, Template>();

/** In the order of the templates. Throws a `TemplateError`. */
export function renderAll(
  { templates, data, shape, maxOutputBytes }: RenderRequest,
  mostWork = MOST_WORK,
): string[] {
  const meter = new Meter(mostWork);
  return templates.map(([name, source]) => {
    chargeReading(meter, name, source);
    try {
      return readOnce(name, source, shape).execute(data, { maxOutputBytes, maxSteps: MOST_STEPS }, meter);
    } catch (error) {
      // The engine's limit of stack or string length was reached before ours: the template caused it all the same.
      if (error instanceof RangeError) throw new TemplateError(name, 1, 1, 'it asks for too much');
      throw error;
    }
  });
}

/** Charged even if the template is cached: the result must not depend on requests of others. */
function chargeReading(meter: Meter, name: string, source: string): void {
  try {
    meter.charge(source.length * READING_COST);
  } catch {
    throw new TemplateError(name, 1, 1, 'the templates are too long together, or cost too much together');
  }
}

function readOnce(name: string, source: string, shape: Shape | undefined): Template {
  const key = `${name}\0${JSON.stringify(shape)}\0${source}`;
  const known = read.get(key);
  if (known) {
    read.delete(key);
    read.set(key, known);
    return known;
  }
  const template = compileTemplate(source, { name, shape });
  read.set(key, template);
  for (const oldest of read.keys()) {
    if (read.size <= MOST_READ) break;
    read.delete(oldest);
  }
  return template;
}
