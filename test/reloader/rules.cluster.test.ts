/** The rules of the ledger and deferral, on the real control plane, with real kubectl and Helm. */
import { playReally } from './play-really.ts';
import { careRules } from './scenarios/care-rules.ts';
import { deferral } from './scenarios/deferral.ts';
import { doubts } from './scenarios/doubts.ts';
import { evicting } from './scenarios/evicting.ts';
import { gates } from './scenarios/gates.ts';
import { ledgerRules } from './scenarios/ledger-rules.ts';
import { optIn } from './scenarios/opt-in.ts';
import { onlyRun, releases, settlingReleases } from './scenarios/releases.ts';
import { sameSecond } from './scenarios/same-second.ts';

playReally([
  ...ledgerRules,
  ...careRules,
  ...deferral,
  ...gates,
  ...evicting,
  ...doubts,
  ...releases({ releases: 4, pairs: 3 }),
  ...settlingReleases,
  ...onlyRun,
  ...optIn,
  ...sameSecond({ own: { running: 12, starting: 12 }, chart: { running: 12, starting: 12 } }),
]);
