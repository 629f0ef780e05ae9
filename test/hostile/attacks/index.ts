/** All attacks. Each is played on both servers. */
import type { Attack } from '../harness.ts';
import { forgedKeptJobs } from './kept-jobs.ts';
import { forgedLedgers } from './ledgers.ts';
import { patterns } from './patterns.ts';
import { probesByAlert } from './probes.ts';
import { targetsWithoutConsent } from './targets.ts';
import { templatesInAlerts, templatesInConfigMaps } from './templates.ts';

export const ATTACKS: readonly Attack[] = [
  templatesInAlerts(),
  templatesInConfigMaps(),
  patterns(),
  forgedLedgers(),
  forgedKeptJobs(),
  forgedKeptJobs('--digest=sha1'),
  targetsWithoutConsent(),
  probesByAlert(),
];
