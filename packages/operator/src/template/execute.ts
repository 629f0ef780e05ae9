/**
 * Executes a parsed template. It can read its data and call the listed functions, nothing else; steps, depth and output
 * are bounded, so that no template can block the process or exhaust its memory.
 */
import { FunctionError } from './compare.ts';
import { SourceError } from './error.ts';
import { FUNCTIONS } from './functions.ts';
import { type Meter, MeterError } from './meter.ts';
import { printAction } from './print.ts';
import type { Command, Definitions, Node, Operand, Pipeline } from './tree.ts';
import { isList, isMap, isTrue, keysOf, sizeOf, typeName, type Value } from './values.ts';

export interface ExecuteLimits {
  readonly maxOutputBytes: number;
  /** The number of nodes and function calls that are executed. */
  readonly maxSteps: number;
}

const DEEPEST_CALLS = 100;
/** The cost of a step, in characters that functions handle. */
const STEP_COST = 10;
type Flow = 'on' | 'break' | 'continue';

export function execute(
  root: readonly Node[],
  definitions: Definitions,
  data: Value,
  limits: ExecuteLimits,
  meter: Meter,
): string {
  const run = new Execution(definitions, limits, meter);
  run.begin(root, data);
  return run.output;
}

class Execution {
  readonly #definitions: Definitions;
  readonly #limits: ExecuteLimits;
  readonly #meter: Meter;
  readonly #parts: string[] = [];
  #bytes = 0;
  #steps = 0;
  #depth = 0;
  #variables: { name: string; value: Value }[] = [];

  constructor(definitions: Definitions, limits: ExecuteLimits, meter: Meter) {
    this.#definitions = definitions;
    this.#limits = limits;
    this.#meter = meter;
  }

  get output(): string {
    return this.#parts.join('');
  }

  /** Runs a separate template: `$` is its data, and it does not see its caller's variables. */
  begin(nodes: readonly Node[], data: Value): void {
    const variables = this.#variables;
    this.#variables = [{ name: '$', value: data }];
    this.#list(nodes, data);
    this.#variables = variables;
  }

  #list(nodes: readonly Node[], dot: Value): Flow {
    for (const node of nodes) {
      const flow = this.#node(node, dot);
      if (flow !== 'on') return flow;
    }
    return 'on';
  }

  #node(node: Node, dot: Value): Flow {
    const at = 'at' in node ? node.at : 0;
    this.#step(at);
    switch (node.kind) {
      case 'text':
        this.#write(node.text, at);
        return 'on';
      case 'action': {
        const value = this.#pipeline(node.pipeline, dot);
        if (node.pipeline.variables.length === 0) {
          this.#charge(sizeOf(value), at);
          this.#write(printAction(value), at);
        }
        return 'on';
      }
      case 'break':
      case 'continue':
        return node.kind;
      case 'template':
        this.#call(node, dot);
        return 'on';
      case 'range':
        return this.#range(node, dot);
      default:
        return this.#scoped(() => {
          const value = this.#pipeline(node.pipeline, dot);
          const inner = node.kind === 'with' ? value : dot;
          return isTrue(value) ? this.#list(node.body, inner) : this.#list(node.otherwise, dot);
        });
    }
  }

  #call({ at, name, pipeline }: Extract<Node, { kind: 'template' }>, dot: Value): void {
    const body = this.#definitions.get(name);
    if (!body) throw new SourceError(at, `template ${JSON.stringify(name)} not defined`);
    if (++this.#depth > DEEPEST_CALLS)
      throw new SourceError(at, `exceeded maximum template depth (${DEEPEST_CALLS})`);
    this.begin(body, pipeline ? this.#pipeline(pipeline, dot) : undefined);
    this.#depth -= 1;
  }

  #range({ at, pipeline, body, otherwise }: Extract<Node, { body: unknown }>, dot: Value): Flow {
    return this.#scoped(() => {
      const [first, second] = pipeline.variables;
      const value = this.#commands(pipeline, dot);
      // Declared once for the body, and set in every iteration.
      if (!pipeline.assigns) for (const name of pipeline.variables) this.#declare(name, value);
      if (second !== undefined && typeof value === 'bigint')
        throw new SourceError(at, `can't use ${value} to iterate over more than one variable`);
      const pairs = this.#pairs(value, at);
      let rounds = 0;
      for (const [key, item] of pairs) {
        rounds += 1;
        this.#step(at);
        const byKey = typeof value === 'bigint';
        if (second !== undefined) {
          this.#assign(first ?? '', key, at);
          this.#assign(second, item, at);
        } else if (first !== undefined) this.#assign(first, byKey ? key : item, at);
        const flow = this.#scoped(() => this.#list(body, item));
        if (flow === 'break') break;
      }
      if (rounds === 0) this.#list(otherwise, dot);
      return 'on';
    });
  }

  *#pairs(value: Value, at: number): Generator<readonly [Value, Value]> {
    if (value === undefined) return;
    if (typeof value === 'bigint') {
      for (let index = 0n; index < value; index++) yield [index, index];
    } else if (isList(value)) {
      for (let index = 0; index < value.length; index++) yield [BigInt(index), value[index]];
    } else if (isMap(value)) {
      for (const key of keysOf(value)) yield [key, value[key]];
    } else throw new SourceError(at, `range can't iterate over ${printAction(value).slice(0, 40)}`);
  }

  #scoped<T>(run: () => T): T {
    const before = this.#variables.length;
    try {
      return run();
    } finally {
      this.#variables.length = before;
    }
  }

  /** With its declarations and assignments. */
  #pipeline(pipeline: Pipeline, dot: Value): Value {
    const value = this.#commands(pipeline, dot);
    for (const name of pipeline.variables) {
      if (pipeline.assigns) this.#assign(name, value, pipeline.at);
      else this.#declare(name, value);
    }
    return value;
  }

  #commands({ commands }: Pipeline, dot: Value): Value {
    let value: Value;
    commands.forEach((command, index) => {
      value = this.#command(command, dot, index === 0 ? [] : [value]);
    });
    return value;
  }

  #command({ operands, at }: Command, dot: Value, last: readonly Value[]): Value {
    const [first, ...rest] = operands;
    if (!first) throw new SourceError(at, 'empty command');
    if (first.kind === 'function') return this.#function(first, rest, dot, last);
    if (rest.length > 0 || last.length > 0) {
      throw new SourceError(first.at, `can't give argument to non-function ${describe(first)}`);
    }
    if (first.kind === 'nil') throw new SourceError(first.at, 'nil is not a command');
    return this.#operand(first, dot);
  }

  #function(
    { name, at }: Extract<Operand, { kind: 'function' }>,
    rest: readonly Operand[],
    dot: Value,
    last: readonly Value[],
  ): Value {
    this.#step(at);
    if (name === 'and' || name === 'or') return this.#shortCircuit(name, at, rest, dot, last);
    const run = FUNCTIONS.get(name);
    if (!run) throw new SourceError(at, `${JSON.stringify(name)} is not a defined function`);
    const values = [...rest.map((operand) => this.#operand(operand, dot)), ...last];
    this.#charge(
      values.reduce((sum: number, value) => sum + sizeOf(value), 0),
      at,
    );
    try {
      const result = run(values, this.#meter);
      if (typeof result === 'string') this.#charge(result.length, at);
      return result;
    } catch (error) {
      if (error instanceof FunctionError)
        throw new SourceError(at, `error calling ${name}: ${error.message}`);
      if (error instanceof MeterError) throw new SourceError(at, error.message);
      throw error;
    }
  }

  #shortCircuit(
    name: 'and' | 'or',
    at: number,
    rest: readonly Operand[],
    dot: Value,
    last: readonly Value[],
  ): Value {
    if (rest.length + last.length === 0) {
      throw new SourceError(at, `wrong number of args for ${name}: want at least 1 got 0`);
    }
    let value: Value;
    for (const operand of rest) {
      value = this.#operand(operand, dot);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return last.length > 0 ? last[0] : value;
  }

  #operand(operand: Operand, dot: Value): Value {
    switch (operand.kind) {
      case 'dot':
        return dot;
      case 'constant':
        return operand.value;
      case 'nil':
        return undefined;
      case 'field':
        return this.#fields(dot, operand.path, operand.at);
      case 'variable':
        return this.#fields(this.#lookUp(operand.name, operand.at), operand.path, operand.at);
      case 'chain':
        return this.#fields(
          this.#scoped(() => this.#pipeline(operand.pipeline, dot)),
          operand.path,
          operand.at,
        );
      case 'function':
        return this.#function(operand, [], dot, []);
    }
  }

  #fields(start: Value, path: readonly string[], at: number): Value {
    let value = start;
    let isFirst = true;
    for (const name of path) {
      // A field of nil at the start of the path, or a missing field, is nil; a field of a null value is an error.
      if (value === undefined && isFirst) return undefined;
      if (value === undefined) throw new SourceError(at, `nil pointer evaluating interface {}.${name}`);
      if (!isMap(value)) throw new SourceError(at, `can't evaluate field ${name} in type ${typeName(value)}`);
      if (!Object.hasOwn(value, name)) return undefined;
      value = value[name];
      isFirst = false;
    }
    return value;
  }

  #declare(name: string, value: Value): void {
    this.#variables.push({ name, value });
  }

  #assign(name: string, value: Value, at: number): void {
    const variable = this.#variables.findLast((each) => each.name === name);
    if (!variable) throw new SourceError(at, `undefined variable: ${name}`);
    variable.value = value;
  }

  #lookUp(name: string, at: number): Value {
    const variable = this.#variables.findLast((each) => each.name === name);
    if (!variable) throw new SourceError(at, `undefined variable: ${name}`);
    return variable.value;
  }

  #write(text: string, at: number): void {
    this.#bytes += Buffer.byteLength(text);
    this.#checkSize(this.#bytes, at);
    this.#parts.push(text);
  }

  /** Text that functions read and return counts even if it is discarded: processing it takes time. */
  #charge(characters: number, at: number): void {
    try {
      this.#meter.charge(characters);
    } catch (error) {
      throw error instanceof MeterError ? new SourceError(at, error.message) : error;
    }
  }

  #checkSize(bytes: number, at: number): void {
    const { maxOutputBytes } = this.#limits;
    if (bytes > maxOutputBytes)
      throw new SourceError(at, `the output is longer than ${maxOutputBytes} bytes`);
  }

  #step(at: number): void {
    this.#steps += 1;
    if (this.#steps > this.#limits.maxSteps)
      throw new SourceError(at, `it takes more than ${this.#limits.maxSteps} steps`);
    this.#charge(STEP_COST, at);
  }
}

function describe(operand: Operand): string {
  return 'path' in operand ? `.${operand.path.join('.')}` : operand.kind;
}
