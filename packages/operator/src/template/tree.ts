/** The nodes of a parsed template. `at` is the offset in the source, for messages. */
import type { Value } from './values.ts';

export type Operand =
  | { readonly kind: 'dot'; readonly at: number }
  | { readonly kind: 'constant'; readonly at: number; readonly value: Value }
  | { readonly kind: 'nil'; readonly at: number }
  | { readonly kind: 'field'; readonly at: number; readonly path: readonly string[] }
  | {
      readonly kind: 'variable';
      readonly at: number;
      readonly name: string;
      readonly path: readonly string[];
    }
  | { readonly kind: 'function'; readonly at: number; readonly name: string }
  /** `(pipeline).a.b` */
  | {
      readonly kind: 'chain';
      readonly at: number;
      readonly pipeline: Pipeline;
      readonly path: readonly string[];
    };

export interface Command {
  readonly at: number;
  readonly operands: readonly Operand[];
}

export interface Pipeline {
  readonly at: number;
  /** `$x :=`, `$i, $e :=` or `$x =`. */
  readonly variables: readonly string[];
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly at: number; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly at: number;
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | { readonly kind: 'break' | 'continue'; readonly at: number }
  | {
      readonly kind: 'template';
      readonly at: number;
      readonly name: string;
      readonly pipeline: Pipeline | undefined;
    };

export type Definitions = ReadonlyMap<string, readonly Node[]>;
