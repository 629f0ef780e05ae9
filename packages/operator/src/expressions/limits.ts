/** Limits of size and cost of an expression. Tenants write expressions, and all of them run on one event loop. */
export const LIMITS = {
  /** Length of the text in bytes. */
  bytes: 1024,
  nodes: 200,
  depth: 40,
  /** Macros inside another macro, in the whole expression. */
  nestedMacros: 1,
  /** Elements of a list or keys of a map that a macro iterates over. */
  elements: 256,
  /** One for each node that is evaluated, one for every 32 characters or each element that an operator processes. */
  steps: 10_000,
  /** Of all conditions of one workload, for all sources that have changed. */
  stepsTogether: 20_000,
  /** Of a pattern: characters, and the cost of compiling it. */
  pattern: 512,
  patternCost: 300,
} as const;
