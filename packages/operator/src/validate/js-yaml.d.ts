/** The declarations that we use besides `load`. */
declare module 'js-yaml' {
  export interface Schema {
    extend(types: { readonly implicit: readonly unknown[] }): Schema;
  }
  export const CORE_SCHEMA: Schema;
  export const types: { readonly merge: unknown };
  export interface LoadOptions {
    readonly schema?: Schema;
    readonly maxDepth?: number;
    readonly maxTotalMergeKeys?: number;
  }
  export function loadAll(text: string, each: (document: unknown) => void, options?: LoadOptions): void;
  export class YAMLException extends Error {
    readonly reason: string;
    readonly mark?: { readonly line: number; readonly column: number };
  }
}
