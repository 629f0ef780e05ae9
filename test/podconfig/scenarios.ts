/** The rules of docs/podconfigmapconfig.md, one scenario each. Played on minicluster and on the real API server. */
import { drift } from './scenarios/drift.ts';
import { life } from './scenarios/life.ts';
import { naming } from './scenarios/naming.ts';
import { trouble } from './scenarios/trouble.ts';
import type { Stage } from './stage.ts';

export interface Scenario {
  /** Also the name of its namespace. */
  readonly id: string;
  readonly rule: string;
  play(stage: Stage): Promise<void>;
}

export const SCENARIOS: readonly Scenario[] = [...naming, ...life, ...drift, ...trouble];
