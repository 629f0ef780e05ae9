/** The rules of the ledger and deferral, on minicluster. */
import { playVirtually } from './play-virtually.ts';
import { careRules } from './scenarios/care-rules.ts';
import { deferral } from './scenarios/deferral.ts';
import { doubts } from './scenarios/doubts.ts';
import { evicting } from './scenarios/evicting.ts';
import { gates } from './scenarios/gates.ts';
import { ledgerRules } from './scenarios/ledger-rules.ts';
import { optIn } from './scenarios/opt-in.ts';
import { onlyRun, releases, settlingReleases } from './scenarios/releases.ts';
import { sameSecond, sameSecondOtherwise } from './scenarios/same-second.ts';

playVirtually('Rules 1 to 5', ledgerRules);
playVirtually('Rules 6 to 13', careRules);
playVirtually('Deferral', deferral);
playVirtually('Gates', [...gates, ...evicting]);
playVirtually('Doubts', doubts);
playVirtually('Opting in', optIn);
playVirtually('Releases', [...releases({ releases: 60, pairs: 1 }), ...settlingReleases, ...onlyRun]);
playVirtually('Within one second', [
  ...sameSecond({ own: { running: 8, starting: 8 }, chart: { running: 24, starting: 20 } }),
  ...sameSecondOtherwise({ running: 8, starting: 8 }),
]);
