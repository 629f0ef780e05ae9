/** All invariants; returns a sentence for each violation. */
import { explained } from '../reloader/checks/explained.ts';
import { ownFieldsOnly } from '../reloader/checks/own-fields.ts';
import { requestsAreModest } from '../reloader/checks/requests.ts';
import { noSecretsAnywhere } from '../reloader/checks/secrets.ts';
import type { Allowance } from '../reloader/scene.ts';
import { adoptedAnew } from './new-installation.ts';
import { countsAreExact, everyReloadHasAReason } from './reasons.ts';
import type { Storm } from './storm.ts';
import { truth } from './truth.ts';
import { unseenBy } from './unseen.ts';

/** Exceptions beyond those of scenarios. */
export type StormAllowance = Allowance & {
  /** Errors with which an operator may exit, to be restarted. */
  readonly endings?: RegExp;
};

export async function brokenInvariants(storm: Storm, allow: StormAllowance = {}): Promise<string[]> {
  const { chronicle, operators, sent } = storm;
  const isUnseen = unseenBy(operators, chronicle);
  const isAdoptedAnew = adoptedAnew(operators, chronicle);
  return [
    ...operators.flatMap(({ failure }) =>
      failure === undefined || allow.endings?.test(failure) ? [] : [`An operator ended: ${failure}`],
    ),
    ...truth(chronicle, (held) => isUnseen(held) || isAdoptedAnew(held)),
    ...explained(chronicle, { unexplained: true }),
    ...everyReloadHasAReason(chronicle, allow),
    ...countsAreExact(chronicle),
    ...ownFieldsOnly(chronicle),
    ...requestsAreModest(sent, operators, allow),
    ...(await noSecretsAnywhere(storm)),
  ];
}
