/** The conditions that apply to a workload: its own, and those of ReloaderConfigs for the sources they watch. */
import { conditionProblem } from '../conditions/read.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Condition } from '../model/condition.ts';
import type { Problem } from '../model/want.ts';
import type { ConfigOnTarget } from './config-match.ts';
import { configName } from './config-match.ts';
import { own } from './own.ts';
import type { WantSubject } from './want-subject.ts';

export interface ConditionsOf {
  readonly conditions: readonly Condition[];
  /** Each of these problems holds the workload's reloads. */
  readonly problems: readonly Problem[];
}

export function annotatedCondition({ workload }: WantSubject): ConditionsOf {
  const field = FIXED_ANNOTATIONS.condition;
  const text = own(workload.annotations, field) ?? '';
  return text === '' ? NONE : read({ text, where: `annotation ${field} of the workload` }, field);
}

/** The condition of the target replaces that of the spec. */
export function conditionOfConfig({ config, targets }: ConfigOnTarget): ConditionsOf {
  const target = targets.find(({ condition }) => condition !== undefined);
  const text = target?.condition ?? config.condition;
  if (text === undefined) return NONE;
  const field = target ? 'condition of the target' : 'condition';
  const name = configName(config);
  return read({ text, where: `${field} in ReloaderConfig ${name}`, config: name }, field);
}

const NONE: ConditionsOf = { conditions: [], problems: [] };

/** By text. More than there are compiled ones: finding out again means to compile again. */
const mistakes = new Map<string, string | undefined>();
const MOST_KNOWN = 2000;

function mistakeIn(text: string): string | undefined {
  if (mistakes.has(text)) return mistakes.get(text);
  if (mistakes.size >= MOST_KNOWN) mistakes.clear();
  const wrong = conditionProblem(text);
  mistakes.set(text, wrong);
  return wrong;
}

function read(condition: Condition, field: string): ConditionsOf {
  const wrong = mistakeIn(condition.text);
  if (wrong === undefined) return { conditions: [condition], problems: [] };
  const message = `${condition.where} ${wrong}`;
  return { conditions: [], problems: [{ field, reason: 'InvalidCondition', message }] };
}
