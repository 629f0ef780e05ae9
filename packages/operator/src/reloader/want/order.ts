/** Invalid settings of the order (wave, canary): each holds the workload's reloads. */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { parseWave, WAVE_NEEDED } from '../model/order.ts';
import type { Problem } from '../model/want.ts';
import { type ConfigOnTarget, configName } from './config-match.ts';
import { own } from './own.ts';
import { quote } from './policy-reader.ts';
import type { WantSubject } from './want-subject.ts';

export function annotatedOrderProblems({ workload }: WantSubject): readonly Problem[] {
  const { wave, canary } = FIXED_ANNOTATIONS;
  const problems: Problem[] = [];
  const say = (field: string, text: string, rest: string): void => {
    const message = `${quote(text)} in ${field} of the workload ${rest}`;
    problems.push({ field, reason: 'InvalidOrder', message });
  };
  const number = own(workload.annotations, wave);
  if (number !== undefined && parseWave(number) === undefined)
    say(wave, number, `is no wave: it ${WAVE_NEEDED}`);
  const first = own(workload.annotations, canary);
  if (first !== undefined && first !== 'true' && first !== 'false') {
    say(canary, first, 'is neither "true" nor "false"');
  }
  return problems;
}

export function orderProblemsOfConfig({ config, targets }: ConfigOnTarget): readonly Problem[] {
  const own = targets.map((target) => `spec.targets[${config.targets.indexOf(target)}].wave`);
  return config.problems
    .filter(({ field }) => field.startsWith('spec.canary') || own.includes(field))
    .map(({ field, message }) => ({
      field,
      reason: 'InvalidOrder',
      message: `${field} of ReloaderConfig ${configName(config)} ${message}`,
    }));
}
