/** What an expression may be and may cost. Tenants write expressions, and all of them run on one event loop. */
export const LIMITS = {
  /** Of the text, in bytes. */
  bytes: 1024,
  nodes: 200,
  depth: 40,
  /** Macros that stand inside of another one, in the whole expression. */
  nestedMacros: 1,
  /** Elements of a list or keys of a map that a macro walks over. */
  elements: 256,
  /** One for each part that is evaluated, one for every 32 characters or element that an operator looks at. */
  steps: 20_000,
  /** Of a pattern: characters, and what compiling it costs. */
  pattern: 512,
  patternCost: 300,
} as const;
