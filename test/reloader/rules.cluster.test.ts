/** The rules of the ledger and deferral, on the real control plane, with real kubectl and Helm. */
import { playReally } from './play-really.ts';
import { careRules } from './scenarios/care-rules.ts';
import { deferral } from './scenarios/deferral.ts';
import { doubts } from './scenarios/doubts.ts';
import { gates } from './scenarios/gates.ts';
import { ledgerRules } from './scenarios/ledger-rules.ts';
import { onlyRun, releases } from './scenarios/releases.ts';
import { sameSecond } from './scenarios/same-second.ts';

playReally([
  ...ledgerRules,
  ...careRules,
  ...deferral,
  ...gates,
  ...doubts,
  ...releases({ releases: 6, pairs: 10 }),
  ...onlyRun,
  ...sameSecond(12),
]);
