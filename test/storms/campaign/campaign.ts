/**
 * The campaign: faults with every gate on and off, several ReloaderConfigs for one workload, two operators whose clocks
 * differ by up to five minutes, and an API server that lags, forgets, repeats itself and is slow. Then the faults stop,
 * users approve what is pending, and the state must be as if only the changes had happened; and no reload was made
 * before its gates were open.
 */
import { ROUGH, TRICKY } from '@reloader/minicluster';
import { forEachSeed, type Random, type SeedOptions } from '@reloader/runtime/testing';
import { Scene } from '../../reloader/scene.ts';
import type { SentRequest } from '../../reloader/stage.ts';
import { brokenInvariants } from '../invariants.ts';
import { withoutWatchList } from '../refusals.ts';
import { whoSaid } from '../say.ts';
import { isWrite } from '../sent.ts';
import { Storm } from '../storm.ts';
import { ledgerStoryOf, storyOf } from '../story.ts';
import { BY_THE_WEATHER, hasReverts, tooMany, withoutDoubt } from '../weather.ts';
import { actAtRandom } from '../weather-actions.ts';
import { approveAll, furtherActs, type Notices, openAll } from './acts.ts';
import { LONGEST_SKEW_MS, setUpCampaign } from './cast.ts';
import { gatesWereKept } from './judge.ts';

const STEPS = 25;
/** The longest backoff is 5 minutes, conditions recover within 20; users approve once a minute. */
const CLEARING_MINUTES = 30;
/** Twice the longest pause of an operator: if nothing is pending after so long without a write, nothing follows. */
const REST_MS = 600_000;

export interface Tally {
  /** Reloads that at least one gate applied to. */
  judged: number;
}

export async function campaign(seeds: SeedOptions): Promise<Tally> {
  const tally: Tally = { judged: 0 };
  await forEachSeed(seeds, async (random) => {
    const refuse = random.chance(0.5) ? withoutWatchList : () => undefined;
    const storm = await Storm.begin({
      seed: random.seed,
      faults: { ...ROUGH, ...TRICKY },
      fronts: true,
      refuse,
    });
    const told: string[] = [];
    try {
      const broken = await play(storm, random, told, tally);
      if (broken.length === 0) return;
      const story = process.env.SEED ? `${ledgerStoryOf(storm)}\n${storyOf(storm, 4_000)}` : '';
      throw new Error([...broken, 'after this:', ...told, story].join('\n'));
    } finally {
      await storm.end();
    }
  });
  return tally;
}

/** Milliseconds since the epoch. Leases are renewed all the time. */
function lastWriteIn(sent: readonly SentRequest[]): number {
  return sent.findLast((request) => isWrite(request) && request.resource !== 'leases')?.at ?? 0;
}

async function play(storm: Storm, random: Random, told: string[], tally: Tally): Promise<string[]> {
  const scene = new Scene(storm);
  const notices: Notices = { frozen: new Map() };
  const { cast, shared, judged, skewOf, gates } = await setUpCampaign(scene, storm, random);
  told.push(`  gates: ${JSON.stringify(gates)}`);
  const acts = furtherActs(notices);
  for (let step = 0; step < STEPS; step++) {
    const at = `${(storm.clock.monotonic() / 1000).toFixed(1)} s, revision ${storm.revision + 1}`;
    told.push(`  ${at}: ${await actAtRandom({ scene, storm, random, cast }, true, acts)}`);
    await storm.quiet(random.chance(0.3) ? random.int(300) : random.int(40_000));
  }
  storm.faults.stop();
  await storm.quiet(LONGEST_SKEW_MS);
  await openAll({ scene, storm, random, cast }, notices);
  const openedAt = storm.clock.now();
  for (let minute = 0; minute < CLEARING_MINUTES; minute++) {
    await storm.quiet(60_000);
    const pending = await approveAll(storm, 'approve');
    const quietSince = Math.max(openedAt, lastWriteIn(storm.sent));
    if (pending === 0 && storm.clock.now() - quietSince >= REST_MS) break;
  }
  const lost = told.filter((line) =>
    /undoes a rollout|deletes the notebook|an old notebook|loses the digest key/.test(line),
  ).length;
  const allow = { endings: BY_THE_WEATHER, unexplained: hasReverts(storm) };
  const kept = gatesWereKept(storm.sent, judged, {
    skewOf,
    longestSkewMs: LONGEST_SKEW_MS,
    // An undo restores old annotations and removes newer ones.
    frozen: /undoes a rollout/.test(told.join()) ? new Map() : notices.frozen,
    recordsLost: lost > 0 || allow.unexplained,
  });
  tally.judged += kept.judged;
  return [
    ...(await brokenInvariants(storm, allow)),
    ...tooMany(scene, cast, lost),
    ...(allow.unexplained || lost > 0 ? [] : withoutDoubt(storm)),
    ...kept.broken,
    ...(shared ? whoSaid(storm.chronicle, shared).broken : []),
  ];
}
