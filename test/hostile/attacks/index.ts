/** Attacks with objects: what an attacker writes, and what must not be disclosed. Each is played on both servers. */
import type { Attack } from '../harness.ts';
import { contents } from './contents.ts';
import { FORGED_STATE } from './forged-state.ts';
import { gates } from './gates.ts';
import { forgedKeptJobs } from './kept-jobs.ts';
import { forgedLedgers } from './ledgers.ts';
import { mistypedAnnotations } from './mistyped.ts';
import { patterns } from './patterns.ts';
import { plantedSecrets } from './planted-secrets.ts';
import { probesByAlert } from './probes.ts';
import { targetsWithoutConsent } from './targets.ts';
import { templatesInAlerts, templatesInConfigMaps } from './templates.ts';

export const ATTACKS: readonly Attack[] = [
  templatesInAlerts(),
  templatesInConfigMaps(),
  patterns(),
  mistypedAnnotations(),
  forgedLedgers(),
  forgedKeptJobs(),
  forgedKeptJobs('--digest=sha1'),
  targetsWithoutConsent(),
  probesByAlert(),
  FORGED_STATE,
  contents(),
  gates(),
  plantedSecrets(),
];
