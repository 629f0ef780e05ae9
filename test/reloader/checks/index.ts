/**
 * The invariants of the reload engine, checked after every scenario from the recorded history alone. Each check returns
 * sentences about violations; none means that it held.
 */
import { expect } from 'vitest';
import type { Scene } from '../scene.ts';
import { converged } from './converged.ts';
import { countsAreTrue } from './counts.ts';
import { explained } from './explained.ts';
import { healthy } from './healthy.ts';
import { ownFieldsOnly } from './own-fields.ts';
import { requestsAreModest } from './requests.ts';
import { noSecretsAnywhere } from './secrets.ts';

export async function check(scene: Scene): Promise<void> {
  const { stage, allow } = scene;
  // The operator writes a status within half a second.
  const counted = (): boolean => countsAreTrue(stage.chronicle, allow).length === 0;
  await stage.until('true counts', counted, 10_000).catch(() => undefined);
  const requests = await stage.requests();
  const broken = [
    ...healthy(stage.operators, allow),
    ...explained(stage.chronicle, allow),
    ...converged(stage.chronicle, allow),
    ...countsAreTrue(stage.chronicle, allow),
    ...ownFieldsOnly(stage.chronicle),
    ...requestsAreModest(requests, stage.operators, allow),
    ...(await noSecretsAnywhere(stage)),
  ];
  expect(broken).toEqual([]);
}
