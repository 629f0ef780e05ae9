/** All that must hold, as sentences about what does not. */
import { converged } from '../reloader/checks/converged.ts';
import { countsAreTrue } from '../reloader/checks/counts.ts';
import { explained } from '../reloader/checks/explained.ts';
import { ownFieldsOnly } from '../reloader/checks/own-fields.ts';
import { requestsAreModest } from '../reloader/checks/requests.ts';
import { noSecretsAnywhere } from '../reloader/checks/secrets.ts';
import type { Allowance } from '../reloader/scene.ts';
import { everyReloadHasAReason } from './reasons.ts';
import type { Storm } from './storm.ts';
import { truth } from './truth.ts';

export async function brokenInvariants(storm: Storm, allow: Allowance = {}): Promise<string[]> {
  const { chronicle, operators, sent } = storm;
  return [
    ...operators.flatMap(({ failure }) =>
      failure === undefined || allow.failure ? [] : [`An operator ended: ${failure}`],
    ),
    ...truth(chronicle),
    ...explained(chronicle, { unexplained: true }),
    ...everyReloadHasAReason(chronicle, allow),
    ...converged(chronicle, allow),
    ...countsAreTrue(chronicle, allow),
    ...ownFieldsOnly(chronicle),
    ...requestsAreModest(sent, operators, allow),
    ...(await noSecretsAnywhere(storm)),
  ];
}
