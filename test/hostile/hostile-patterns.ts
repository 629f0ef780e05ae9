/** Two hundred expressions that are expensive to compile, to refuse, to match, or to keep. */

const spread = (count: number, item: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => item(index));

export const HOSTILE_PATTERNS: readonly string[] = [
  // Reported bug: these do not compile, so they did not count in the budget.
  ...spread(20, (index) => `(?i)${'\\pL'.repeat(490 - index)}(`),
  ...spread(10, (index) => `(?i)${'[\\pL\\pN]'.repeat(20 + index)}(`),
  ...spread(10, (index) => `${'\\p{Greek}\\P{Han}'.repeat(10 + index)}[`),
  // Many states for every letter of a name.
  ...spread(20, (index) => `(a|b)*a(a|b){${30 + 2 * index}}`),
  ...spread(20, (index) => `.*a.{${100 + 10 * index}}b.*`),
  ...spread(10, (index) => `(.*a.{${index + 1}}b){20}.*`),
  ...spread(10, (index) => `.*a.*b.{${index + 90}}a.*b.{${index + 90}}`),
  ...spread(10, (index) => `.*\\Ba.{${index + 200}}\\b`),
  // Patterns that cause backtracking in other engines.
  ...spread(10, (index) => `(a+)+b{${index}}`),
  ...spread(10, (index) => `${'(a*)*'.repeat(20 + index)}c`),
  ...spread(10, (index) => `(a|ab|ba|aba|bab){${index + 40}}c`),
  ...spread(10, (index) => `(.?){${60 + index}}a{30}c`),
  // Large, deep or long.
  ...spread(10, (index) => `${'x{1000}'.repeat(20 + index)}`),
  ...spread(10, (index) => `((x{${20 + index}}){31}){31}`),
  ...spread(10, (index) => `${'('.repeat(200 + index)}a${')'.repeat(200 + index)}`),
  ...spread(10, (index) => `[${'a-z'.repeat(500 + index)}]`),
  ...spread(10, (index) => `${'.*'.repeat(80 + index)}c`),
  ...spread(10, (index) => `(?i)${'k'.repeat(300 + index)}`),
];
