/**
 * The shape of the data that a template sees, and a check for fields that it never has. Go prints `<no value>` for such
 * a field, so a misspelt name would show only in the result.
 *
 * Cases that the text alone does not decide are not checked: results of functions, defined templates, open maps.
 */
import type { Node, Operand, Pipeline } from './tree.ts';

/** `any`: a text, a number, or a map with unknown keys. Plain data, so that it can be sent to a worker. */
export type Shape = 'any' | { readonly fields: Readonly<Record<string, Shape>> } | { readonly items: Shape };

export interface UnknownField {
  /** Offset in the source. */
  readonly at: number;
  readonly message: string;
}

export function unknownField(nodes: readonly Node[], shape: Shape): UnknownField | undefined {
  const walk = new Walk();
  walk.list(nodes, shape, new Map([['$', shape]]));
  return walk.found;
}

type Variables = ReadonlyMap<string, Shape>;

class Walk {
  found: UnknownField | undefined;

  list(nodes: readonly Node[], dot: Shape, outer: Variables): void {
    const variables = new Map(outer);
    for (const node of nodes) {
      if (this.found) return;
      this.#node(node, dot, variables);
    }
  }

  #node(node: Node, dot: Shape, variables: Map<string, Shape>): void {
    switch (node.kind) {
      case 'action':
        this.#pipeline(node.pipeline, dot, variables);
        return;
      case 'if':
      case 'with':
      case 'range': {
        const inner = new Map(variables);
        const value = this.#pipeline(node.pipeline, dot, inner, node.kind === 'range');
        const item = value !== 'any' && 'items' in value ? value.items : 'any';
        const within = node.kind === 'if' ? dot : node.kind === 'with' ? value : item;
        this.list(node.body, within, inner);
        this.list(node.otherwise, dot, inner);
        return;
      }
      case 'template':
        if (node.pipeline) this.#pipeline(node.pipeline, dot, variables);
        return;
      default:
    }
  }

  /** Known only for a single operand; a function may return anything. */
  #pipeline(
    { commands, variables: names }: Pipeline,
    dot: Shape,
    variables: Map<string, Shape>,
    isRange = false,
  ): Shape {
    let value: Shape = 'any';
    for (const { operands } of commands) {
      const shapes = operands.map((operand) => this.#operand(operand, dot, variables));
      const [only = 'any'] = shapes;
      value = commands.length === 1 && operands.length === 1 ? only : 'any';
    }
    for (const name of names) variables.set(name, isRange ? 'any' : value);
    return value;
  }

  #operand(operand: Operand, dot: Shape, variables: Map<string, Shape>): Shape {
    switch (operand.kind) {
      case 'dot':
        return dot;
      case 'field':
        return this.#fields(dot, operand.path, operand.at);
      case 'variable':
        return this.#fields(variables.get(operand.name) ?? 'any', operand.path, operand.at);
      case 'chain':
        return this.#fields(this.#pipeline(operand.pipeline, dot, variables), operand.path, operand.at);
      default:
        return 'any';
    }
  }

  #fields(start: Shape, path: readonly string[], at: number): Shape {
    let shape = start;
    for (const name of path) {
      if (shape === 'any' || 'items' in shape) return 'any';
      const known: Shape | undefined = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
      if (known === undefined) {
        const there = Object.keys(shape.fields).join(', ');
        this.found ??= { at, message: `there is no field ${JSON.stringify(name)} here, there are ${there}` };
        return 'any';
      }
      shape = known;
    }
    return shape;
  }
}
