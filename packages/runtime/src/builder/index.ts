export type { Assembly, OperatorEnvironment } from './assemble.ts';
export { type Operator, type OperatorBuilder, operator } from './operator.ts';
export { type ProgramParts, type RunOptions, type Runs, runOperators } from './program.ts';
export type { PolicyRule, RulesOptions } from './rules.ts';
export { standardSummary } from './summary.ts';
export type {
  Ending,
  KindOptions,
  Managed,
  MapToKeys,
  OperatorSettings,
  Pass,
  PassOutcome,
  PassResult,
  StandardStatus,
  StatusDraft,
} from './types.ts';
