/** All scenarios about field ownership. */
import { configScenarios } from './apply-config.ts';
import { widgetScenarios } from './apply-widgets.ts';
import { workloadScenarios } from './apply-workloads.ts';
import type { Scenario } from './case.ts';

export const applyScenarios: readonly Scenario[] = [
  ...configScenarios,
  ...workloadScenarios,
  ...widgetScenarios,
];
