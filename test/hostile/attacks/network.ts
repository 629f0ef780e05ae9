/** Attacks through the port, on what the operator keeps, and for what it must not tell. Each is played on both servers. */
import type { Attack } from '../harness.ts';
import { FORGED_STATE } from './forged-state.ts';
import { plantedSecrets } from './planted-secrets.ts';
import { PORT_ATTACKS } from './port.ts';
import { REBINDING } from './rebinding.ts';

export const NETWORK_ATTACKS: readonly Attack[] = [
  ...PORT_ATTACKS,
  REBINDING,
  FORGED_STATE,
  plantedSecrets(),
];
